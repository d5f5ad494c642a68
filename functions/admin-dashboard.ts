/**
 * Serves the dashboard's page at /admin and the files that it loads, which the build puts into this function's folder.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type DashboardFile, serveDashboard } from '../shared/admin/http/dashboard-files.ts';
import { adminRoutes } from '../shared/contract/routes.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const fileList = z.array(z.object({ name: z.string(), contentType: z.string(), etag: z.string() }));
const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'files', name));

const files = new Map(
  fileList.parse(JSON.parse(read('list.json').toString('utf8'))).map(({ name, contentType, etag }) => {
    const file: DashboardFile = { contentType, etag, gzip: read(`${name}.gzip`), brotli: read(`${name}.br`) };
    return [name, file] as const;
  }),
);

export const handler = publicHttpFunction(
  contextOf(environmentOf<'admin-dashboard'>()),
  adminRoutes.adminDashboard,
  serveDashboard(files),
  { formats: [] },
);
