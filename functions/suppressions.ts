/** Serves all operations under /api/v1/suppressions, because they need the same permissions. */

import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import {
  deleteSuppression,
  listSuppressions,
  putSuppression,
} from '../shared/message/suppression/manage-suppressions.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'suppressions'>();
const suppressions = dynamoSuppressionStore(dynamo(), env.SUPPRESSIONS_TABLE);

export const handler = httpFunctions(
  {
    listSuppressions: listSuppressions(suppressions),
    putSuppression: putSuppression(suppressions),
    deleteSuppression: deleteSuppression(suppressions),
  },
  httpDependencies(env),
);
