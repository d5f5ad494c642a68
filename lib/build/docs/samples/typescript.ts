/** Samples in TypeScript, which is JavaScript here too: Node 20 or later, Deno, Bun. */
import { literal, type Notation } from './literal.ts';
import { readVariables, type SampleRequest } from './sample-request.ts';

const environment = 'process.env';

export function typescriptSample({ method, path, authorized, body, variables }: SampleRequest): string {
  const headers = [
    ...(authorized ? [`Authorization: \`Bearer \${${environment}.TOKEN}\`,`] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json',"]),
  ];
  const values = readVariables(variables, (name) => `${environment}.${name}`);
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...headersOption(headers),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(notation, body, 1, values)}),`]),
    'signal: AbortSignal.timeout(30_000),',
  ];
  return `const response = await fetch(\`\${${environment}.BASE_URL}${path}\`, {
${options.map((option) => `  ${option}`).join('\n')}
});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
console.log(await response.json());
`;
}

function headersOption(headers: readonly string[]): string[] {
  const [only, ...more] = headers;
  if (only === undefined) return [];
  if (more.length === 0) return [`headers: { ${only.slice(0, -1)} },`];
  return [`headers: {\n${headers.map((header) => `    ${header}`).join('\n')}\n  },`];
}

const notation: Notation = {
  indent: '  ',
  scalar: (value) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value)),
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)),
  padding: ' ',
  trailingComma: true,
};

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
