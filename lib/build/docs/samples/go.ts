/** Samples in Go, with the standard library only: whole programs, as `gofmt` has them. */
import { jsonNotation, literal } from './literal.ts';
import type { SampleRequest } from './sample-request.ts';

export function goSample({ method, path, authorized, body, variables }: SampleRequest): string {
  const marshals = Object.keys(variables).length > 0;
  const packages = [
    ...(marshals ? ['bytes', 'encoding/json'] : []),
    'fmt',
    'io',
    'log',
    'net/http',
    'os',
    ...(body !== undefined && !marshals ? ['strings'] : []),
    'time',
  ];
  const headers = [
    ...(authorized ? ['request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))'] : []),
    ...(body === undefined ? [] : ['request.Header.Set("Content-Type", "application/json")']),
  ];
  const reader = body === undefined ? 'nil' : marshals ? 'bytes.NewReader(body)' : 'body';
  const statements = [
    ...bodyStatements(body, variables),
    `request, err := http.NewRequest("${method}", os.Getenv("BASE_URL")+"${path}", ${reader})`,
    ...onError,
    ...headers,
    'client := &http.Client{Timeout: 30 * time.Second}',
    'response, err := client.Do(request)',
    ...onError,
    'defer response.Body.Close()',
    'answer, err := io.ReadAll(response.Body)',
    ...onError,
    'if response.StatusCode >= 300 {',
    '\tlog.Fatalf("%s %s", response.Status, answer)',
    '}',
    'fmt.Println(string(answer))',
  ];
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
${statements.map((statement) => `\t${statement}`).join('\n')}
}
`;
}

const onError = ['if err != nil {', '\tlog.Fatal(err)', '}'];

function bodyStatements(body: SampleRequest['body'], variables: SampleRequest['variables']): string[] {
  if (body === undefined) return [];
  if (Object.keys(variables).length === 0)
    return [`body := strings.NewReader(${rawString(literal(jsonNotation, body))})`];
  // gofmt aligns the values.
  const width = Math.max(...Object.keys(body).map((name) => name.length)) + '"":'.length;
  return [
    'body, err := json.Marshal(map[string]any{',
    ...Object.entries(body).map(([name, value]) => {
      const variable = variables[name];
      const shown = variable === undefined ? JSON.stringify(value) : `os.Getenv("${variable}")`;
      return `\t${`"${name}":`.padEnd(width)} ${shown},`;
    }),
    '})',
    ...onError,
  ];
}

/** A raw string, which cannot have a backtick in it. */
function rawString(json: string): string {
  return `\`${json.split('`').join('` + "`" + `')}\``;
}
