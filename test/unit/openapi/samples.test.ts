import { describe, expect, it } from '@jest/globals';
import { jsonNotation, literal } from '../../../lib/build/docs/samples/literal.ts';
import { sampleRequest } from '../../../lib/build/docs/samples/sample-request.ts';
import { languages, samplesOf } from '../../../lib/build/docs/samples/samples.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';

const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the samples', () => {
  it('are one for each operation and language, and call that operation', () => {
    const samples = samplesOf(document);
    for (const { path, method, operation } of operations) {
      const own = samples.filter(({ operationId }) => operationId === operation.operationId);
      expect(own.map(({ language }) => language)).toEqual(Object.keys(languages));
      const begin = path.replace(/\{.*/, '');
      for (const { language, source } of own) {
        expect(source).toContain(begin);
        if (language === 'go') expect(source).toContain(`NewRequest("${method.toUpperCase()}"`);
        if (language === 'python') expect(source).toContain(`requests.${method}(`);
        expect([source.includes('TOKEN'), operation.security.length > 0]).toEqual([
          operation.security.length > 0,
          source.includes('TOKEN'),
        ]);
      }
    }
  });

  it('cannot be made of an operation that lacks an example', () => {
    for (const { path, method, operation } of operations) {
      const { requestBody, parameters = [] } = operation;
      const examples = Object.fromEntries(
        Object.entries(requestBody?.content ?? {}).map(([type, content]) => [
          type,
          { ...content, examples: {} },
        ]),
      );
      const bare = {
        ...operation,
        parameters: parameters.map(({ example, ...parameter }) => parameter),
        ...(requestBody === undefined ? {} : { requestBody: { ...requestBody, content: examples } }),
      };
      const needsExample = requestBody !== undefined || parameters.some(({ required }) => required === true);
      const make = () => sampleRequest(method, path, bare);
      if (needsExample) expect(make).toThrow('has no example of');
      else expect(make().path).toBe(path);
    }
  });

  it('quote what a language would read otherwise', () => {
    const body = { text: `it's "$HOME" \`x\` \\ \${y}`, none: null, yes: true, list: ['a', 1] };
    const request = {
      method: 'POST',
      path: '/x',
      authorized: false,
      body,
      variables: {},
    } as const;
    const [, shell = ''] = /-d '([\s\S]*)'$/.exec(languages.curl.write(request)) ?? [];
    expect(JSON.parse(shell.replaceAll("'\\''", "'"))).toEqual(body);
    const [, script = ''] =
      /JSON\.stringify\(([\s\S]*)\),\n {2}signal/.exec(languages.typescript.write(request)) ?? [];
    expect(new Function(`return ${script}`)()).toEqual(body);
    expect(languages.python.write(request)).toContain('"none": None,\n        "yes": True,');
    expect(languages.go.write(request)).toContain('` + "`" + `x` + "`" + `');
  });

  it('have short values on one line', () => {
    expect(literal(jsonNotation, { a: [1, 'b'], c: {} })).toBe('{ "a": [1, "b"], "c": {} }');
    expect(literal(jsonNotation, { a: 'x'.repeat(60) })).toBe(`{\n  "a": "${'x'.repeat(60)}"\n}`);
  });
});
