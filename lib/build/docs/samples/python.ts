/** Samples in Python with `requests`, the HTTP library that most readers have. */
import { literal, type Notation } from './literal.ts';
import { readVariables, type SampleRequest } from './sample-request.ts';

export function pythonSample({ method, path, authorized, body, variables }: SampleRequest): string {
  const values = readVariables(variables, (name) => `os.environ["${name}"]`);
  const argumentLines = [
    `f"{os.environ['BASE_URL']}${path}",`,
    ...(authorized ? [`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`] : []),
    ...(body === undefined ? [] : [`json=${literal(notation, body, 1, values)},`]),
    'timeout=30,',
  ];
  return `import os

import requests

response = requests.${method.toLowerCase()}(
${argumentLines.map((line) => `    ${line}`).join('\n')}
)
if not response.ok:
    raise SystemExit(f"{response.status_code} {response.text}")
print(response.json())
`;
}

const words: Readonly<Record<string, string>> = { null: 'None', true: 'True', false: 'False' };

const notation: Notation = {
  indent: '    ',
  scalar: (value) => (typeof value === 'string' ? undefined : words[String(value)]) ?? JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  padding: '',
  trailingComma: true,
};
