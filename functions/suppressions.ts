/** Serves all operations under /api/v1/suppressions, because they need the same permissions. */
import { httpFunctions } from '../shared/http/http-function.ts';
import {
  deleteSuppression,
  listSuppressions,
  putSuppression,
} from '../shared/message/suppression/manage-suppressions.ts';
import { dynamoSuppressionStore } from '../shared/message/suppression/suppression-store.dynamo.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'suppressions'>());
const suppressions = dynamoSuppressionStore(context.db, context.env.SUPPRESSIONS_TABLE);

export const handler = httpFunctions(context, {
  listSuppressions: listSuppressions(suppressions),
  putSuppression: putSuppression(suppressions),
  deleteSuppression: deleteSuppression(suppressions),
});
