/** Samples for curl in a POSIX shell. */
import { jsonNotation, literal } from './literal.ts';
import { readVariables, type SampleRequest } from './sample-request.ts';

export function curlSample({ method, path, authorized, body, variables }: SampleRequest): string {
  // curl sends a request with a body as POST.
  const usual = body === undefined ? 'GET' : 'POST';
  const fromEnvironment = Object.keys(variables).length > 0;
  const values = readVariables(variables, (name) => `$${name}`);
  const json = body === undefined ? '' : literal(jsonNotation, { ...body, ...values });
  return [
    `curl ${method === usual ? '' : `-X ${method} `}"$BASE_URL${path}"`,
    ...(authorized ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(body === undefined ? [] : [fromEnvironment ? `-d @- <<END\n${json}\nEND` : `-d ${quoted(json)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
