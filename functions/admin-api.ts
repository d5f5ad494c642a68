/** Serves everything under /admin/api, for tokens of scope `admin`. */
import { carriersWithCredentials } from '#carriers-with-credentials';
import { adminContext } from '../shared/admin/admin-context.ts';
import { adminApi } from '../shared/admin/http/admin-operations.ts';
import { adminRoutes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'admin-api'>();

export const handler = httpFunction(
  contextOf(env),
  adminRoutes.adminApi,
  adminApi(adminContext(env, async () => carriersWithCredentials)),
);
