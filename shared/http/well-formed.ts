/** Finds text that is not well-formed Unicode (a lone surrogate) in a request: AWS services refuse it (contract, introduction). */

import { type FieldError, GatewayError } from '../contract/errors.ts';
import { fieldName } from '../operation/operation.ts';

const message = 'must be well-formed Unicode text';

/** Texts by name, such as headers or a query; a value may be a list. */
type NamedTexts = Readonly<Record<string, string | readonly string[] | undefined>> | null | undefined;

/** @throws GatewayError `invalid_request` that names every faulty field once. */
export function assertWellFormedTexts(...groups: readonly NamedTexts[]): void {
  const faulty = groups.flatMap((group) =>
    Object.entries(group ?? {})
      .filter(
        ([name, value]) => !name.isWellFormed() || ![value ?? []].flat().every((text) => text.isWellFormed()),
      )
      .map(([name]) => name),
  );
  refuse(faulty);
}

/** A JSON value's texts and keys. @throws GatewayError `invalid_request` that names every faulty field. */
export function assertWellFormedJson(value: unknown): void {
  refuse(malformedPaths(value, []).map(fieldName));
}

function malformedPaths(value: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => malformedPaths(item, [...path, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const inside = [...path, key];
    return key.isWellFormed() ? malformedPaths(inner, inside) : [inside];
  });
}

function refuse(fields: readonly string[]): void {
  if (fields.length === 0) return;
  const details = [...new Set(fields)].map((field): FieldError => ({ field, message }));
  throw new GatewayError('invalid_request', 'The request holds text that is not well-formed Unicode.', {
    details,
  });
}
