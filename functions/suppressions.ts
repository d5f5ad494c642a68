/** Serves all operations under /api/v1/suppressions, because they need the same permissions. */
import { httpFunctions } from '../shared/http/http-function.ts';
import {
  deleteSuppression,
  listSuppressions,
  putSuppression,
} from '../shared/message/suppression/manage-suppressions.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'suppressions'>());

export const handler = httpFunctions(context, {
  listSuppressions: listSuppressions(context),
  putSuppression: putSuppression(context),
  deleteSuppression: deleteSuppression(context),
});
