/** The form of the responses about suppressions (contract, section 13). Functions import only the types. */
import * as z from 'zod/mini';
import { described } from '../../operation/fields.ts';
import { instant, recipient } from '../message-response.schema.ts';
import { scopes, sources } from './suppression.ts';

const suppression = z.object({
  recipient,
  scope: z.enum(scopes),
  reason: described(z.nullable(z.string()), 'Why it is suppressed, for people.'),
  source: z.enum(sources),
  created_at: instant,
  updated_at: described(instant, 'When it was last changed.'),
});

const suppressionList = z.object({
  suppressions: described(z.array(suppression), 'The suppressed recipients, by number.'),
  next_cursor: z.exactOptional(z.string()),
});

const removedSuppression = z.object({ recipient, deleted: z.boolean() });

export type SuppressionView = z.output<typeof suppression>;
export type SuppressionList = z.output<typeof suppressionList>;
export type RemovedSuppression = z.output<typeof removedSuppression>;

/** The responses by their names in the API document. */
export const suppressionResponses = {
  Suppression: suppression,
  SuppressionList: suppressionList,
  DeletedSuppression: removedSuppression,
} as const;
