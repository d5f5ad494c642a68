/** What is wrong with the response of a function, by what its caller on AWS reads of it. */

/** API Gateway developer guide, "Output format of a Lambda function for proxy integration": else it answers 502. */
export function proxyFault(response: unknown, wantedStatus: number): string | undefined {
  if (typeof response !== 'object' || response === null) return 'it answers no object';
  const known = ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'];
  const {
    statusCode,
    headers = {},
    multiValueHeaders = {},
    body,
    isBase64Encoded,
  } = response as Record<string, unknown>;
  const unknown = Object.keys(response).filter((name) => !known.includes(name));
  if (unknown.length > 0) return `API Gateway takes no ${unknown.join(', ')}`;
  if (!isRecordOf(headers, (value) => typeof value === 'string')) return 'a header is no text';
  const areTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
  if (!isRecordOf(multiValueHeaders, areTexts)) return 'a header is no list of texts';
  if (body !== undefined && typeof body !== 'string') return 'the body is no text';
  if (isBase64Encoded !== undefined && typeof isBase64Encoded !== 'boolean')
    return 'isBase64Encoded is no boolean';
  return statusCode === wantedStatus ? undefined : `${String(statusCode)} is not ${wantedStatus}`;
}

function isRecordOf(value: unknown, holds: (item: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(holds);
}

/** Lambda developer guide, "Reporting batch item failures". */
export function noFailures(response: unknown): string | undefined {
  return JSON.stringify(response) === '{"batchItemFailures":[]}'
    ? undefined
    : 'a message is not acknowledged';
}
