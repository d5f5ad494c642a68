/** A check of the conformance suite: one promise of the contract, shown by HTTP requests alone. */
import assert from 'node:assert/strict';
import type { CallResponse } from '../support/http/http-call.ts';
import type { Api } from './api.ts';

export interface Check {
  /** The guarantee. */
  readonly name: string;
  readonly run: (api: Api) => Promise<void>;
}

/** A number of the range that Ofcom keeps for drama: it is nobody's. */
export function anyRecipient(): string {
  return `+447700900${String(Math.floor(Math.random() * 1000)).padStart(3, '0')}`;
}

export function inOneDay(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}

export function assertRefused(
  response: CallResponse,
  status: number,
  code: string,
  fields?: readonly string[],
): void {
  assert.deepEqual([response.status, response.body.error], [status, code]);
  assert.equal(response.body.request_id, response.headers.get('x-request-id'));
  if (fields === undefined) return;
  const details = (response.body.details ?? []) as { field: string }[];
  assert.deepEqual(details.map(({ field }) => field).toSorted(), fields.toSorted());
}
