import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { stageFrom } from '../../lib/stages/stages.ts';
import { deployments } from '../support/template/deployments.ts';
import { synthesized, type TemplateResource } from '../support/template/stage-templates.ts';

const program = join(import.meta.dirname, '../support/template/load-functions.cjs');

interface Loaded {
  readonly named: readonly string[];
  readonly fault?: string;
}

interface StartedFunction {
  readonly id: string;
  readonly file: string;
  readonly given: readonly string[];
  readonly loaded: Loaded;
}

/** The file in `functions/`. */
function fileOf(properties: TemplateResource['Properties']): string {
  return String(properties.Description).split(': ').at(-1) ?? '';
}

/** Each function of a template, as Lambda would start it. */
function start(name: string): StartedFunction[] {
  const { resources } = synthesized(name);
  const files = { 'prices.json': JSON.stringify(stageFrom(deployments[name] ?? {}).prices) };
  const functions = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
  const input = Object.fromEntries(
    functions.map(([id, { Properties }]) => {
      const given: Readonly<Record<string, unknown>> = Properties.Environment.Variables;
      // A reference to a resource becomes its name or ARN.
      const variables = Object.entries(given).map(([variable, value]) => [
        variable,
        typeof value === 'string' ? value : 'made-by-the-deploy',
      ]);
      const folder = bundleFunctions().folder(
        fileOf(Properties),
        given.PRICES_FILE === undefined ? {} : files,
      );
      return [id, { folder, variables: Object.fromEntries(variables) }];
    }),
  );
  const output = execFileSync(process.execPath, [program], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  const loaded: Record<string, Loaded> = JSON.parse(output);
  return functions.map(([id, { Properties }]) => ({
    id,
    file: fileOf(Properties),
    given: Object.keys(input[id]?.variables ?? {}),
    loaded: loaded[id] ?? { named: [] },
  }));
}

describe.each(['no settings', 'production'])('the environment variables of each function, %s', (name) => {
  const functions = start(name);

  it('are all that it needs to start, and every file of functions/ is deployed', () => {
    const files = new Set(functions.map(({ file }) => file));
    expect([...files].toSorted()).toEqual(bundleFunctions().functionNames);
    expect(functions.filter(({ loaded }) => loaded.fault !== undefined)).toEqual([]);
  });

  it('are no more than its code names', () => {
    const unread = functions.flatMap(({ id, given, loaded }) =>
      given
        // It comes with each table that has purged rows, also for a function that writes none.
        .filter((variable) => variable !== 'RETENTION_DAYS' && !loaded.named.includes(variable))
        .map((variable) => `${id}: ${variable}`),
    );
    expect(unread).toEqual([]);
  });
});
