/** The expectations of the sending API's tests for any response: ids, times, and the form of a refusal. */
import { expect } from '@jest/globals';
import type { CallResponse } from './http-call.ts';

export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const idOf = (prefix: string) =>
  expect.stringMatching(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`));

/** A refusal in the contract's form: its code, and all of its faulty fields. */
export function expectRefusal(
  response: CallResponse,
  status: number,
  error: string,
  fields?: readonly string[],
): void {
  expect({ status: response.status, error: response.body.error }).toEqual({ status, error });
  expect(response.body).toMatchObject({
    message: expect.any(String),
    request_id: response.headers.get('x-request-id'),
    doc_url: expect.stringMatching(new RegExp(`/docs/errors#${error}$`)),
  });
  const details = (response.body.details ?? []) as { field: string; message: string }[];
  expect(details.map(({ field }) => field).toSorted()).toEqual([...(fields ?? [])].toSorted());
}

export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}
