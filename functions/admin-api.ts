/** Serves everything under /admin/api, for tokens of scope `admin`. */
import { carriersWithCredentials } from '#carriers-with-credentials';
import { adminDependencies } from '../shared/admin/admin-dependencies.ts';
import { adminApi, adminOperations } from '../shared/admin/http/admin-api.ts';
import { adminRoutes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'admin-api'>();

const dependencies = adminDependencies(env, async () => carriersWithCredentials);

export const handler = httpFunction(
  adminRoutes.adminApi,
  adminApi((mode) => adminOperations({ ...dependencies, mode })),
  { dependencies: httpDependencies(env) },
);
