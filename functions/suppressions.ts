/** Everything under /api/v1/suppressions: one function, because all of it has the same rights. */
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { httpFunctions } from '../shared/http/http-functions.ts';
import {
  deleteSuppression,
  listSuppressions,
  putSuppression,
} from '../shared/message/suppression/manage-suppressions.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const env = readEnvironment([...httpEnvironment, 'SUPPRESSIONS_TABLE']);
const suppressions = dynamoSuppressionStore(dynamo(), env.SUPPRESSIONS_TABLE);

export const handler = httpFunctions(
  {
    listSuppressions: listSuppressions(suppressions),
    putSuppression: putSuppression(suppressions),
    deleteSuppression: deleteSuppression(suppressions),
  },
  httpDependencies(env),
);
