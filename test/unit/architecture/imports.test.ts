import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { carrierDescriptors } from '../../../shared/carrier/carrier-descriptors.ts';
import {
  cyclesOf,
  files,
  inFolder,
  ours,
  read,
  violations,
  within,
} from '../../support/architecture/source-files.ts';

describe('who may import whom', () => {
  it('the check itself sees every file and its imports', () => {
    const relay = files.find(({ path }) => path === 'functions/relay-changes.ts');
    expect(relay?.imports).toContainEqual({ target: 'shared/relay/relay.ts', typeOnly: false });
    expect(relay?.imports).toContainEqual({ target: 'aws-lambda', typeOnly: true });
    expect(read('shared/carrier/carriers.ts').imports.map(({ target }) => target)).toContain(
      'shared/carrier/aws/aws.ts',
    );
    const unknown = files
      .flatMap((file) => file.imports)
      .filter(({ target }) => ours(target) && !/\.(tsx?|json|css)$/.test(target));
    expect(unknown).toEqual([]);
  });

  it('bin imports lib and shared', () => {
    expect(violations(inFolder('bin'), within(['bin', 'lib', 'shared']))).toEqual([]);
  });

  it('lib imports the contract and a few facts from shared; lib/build all of it', () => {
    const deployed = inFolder('lib').filter(({ path }) => !path.startsWith('lib/build/'));
    const facts = ['platform/env.ts', 'platform/closest-name.ts', 'carrier/carrier-descriptors.ts'];
    const allowed = (target: string): boolean =>
      within(['lib', 'shared/contract'])(target) || facts.some((fact) => target === `shared/${fact}`);
    // It checks the credentials in a file for npm start by the schema of each carrier.
    const checksCredentials = ['shared/carrier/carrier-module.ts', 'shared/carrier/carrier-reports.ts'];
    expect(
      violations(
        deployed,
        (target, { path }) =>
          allowed(target) || (path === 'lib/local/carriers-file.ts' && checksCredentials.includes(target)),
      ),
    ).toEqual([]);
    expect(violations(inFolder('lib/build'), within(['lib/build', 'shared']))).toEqual([]);
  });

  it('functions import shared only, and no function another', () => {
    expect(violations(inFolder('functions'), within(['shared']))).toEqual([]);
  });

  it('only the lists of carriers know a carrier that is not a part of AWS or of the gateway', () => {
    const others = carrierDescriptors.filter(({ hasCredentials }) => hasCredentials);
    const lists = ['carriers', 'carrier-reports', 'carrier-descriptors'].map(
      (name) => `shared/carrier/${name}.ts`,
    );
    for (const { name } of others) {
      const folder = `shared/carrier/${name}/`;
      const knowing = files.filter(
        ({ path, imports }) =>
          !path.startsWith(folder) && imports.some(({ target }) => target.startsWith(folder)),
      );
      expect({ name, knownTo: knowing.map(({ path }) => path).toSorted() }).toEqual({
        name,
        knownTo: lists.toSorted(),
      });
    }
  });

  it('a page of the dashboard knows no other page, and what pages share knows none', () => {
    const pageOf = (path: string) => /^dashboard\/pages\/[^/]+/.exec(path)?.[0];
    // Puts the pages together.
    const others = inFolder('dashboard').filter(({ path }) => path !== 'dashboard/pages.tsx');
    expect(
      violations(others, (target, { path }) => [undefined, pageOf(path)].includes(pageOf(target))),
    ).toEqual([]);
  });

  it('the dashboard reads the admin API by one type, and shares code only if it is constant or makes texts', () => {
    const constants = [
      'activity-kinds',
      'admin-api-routes',
      'message-error-codes',
      'message-error-notes',
      'mode',
      'webhook-events',
    ].map((name) => `shared/contract/${name}.ts`);
    // The shell shows and accepts the same texts, and both escape them in the same way.
    const texts = [
      'limit/entered-limits',
      'message/message-summary',
      'platform/csv',
      'platform/visible-text',
      'usage/usage-csv',
    ].map((name) => `shared/${name}.ts`);
    const responses = 'shared/admin/http/admin-operations.ts';
    expect(
      violations(
        inFolder('dashboard'),
        (target, _, typeOnly) =>
          within(['dashboard'])(target) ||
          [...constants, ...texts].includes(target) ||
          (typeOnly && (!target.startsWith('shared/admin/') || target === responses)),
      ),
    ).toEqual([]);
  });

  it('shared imports shared only', () => {
    expect(violations(inFolder('shared'), within(['shared']))).toEqual([]);
  });

  it('no function loads the schema of a response or of an event: its descriptions are for the API document', () => {
    const isSchema = (path: string): boolean => path.endsWith('.schema.ts');
    const loading = [...inFolder('functions'), ...inFolder('shared')].filter(({ path }) => !isSchema(path));
    expect(inFolder('shared').filter(({ path }) => isSchema(path)).length).toBeGreaterThan(4);
    expect(violations(loading, (target, _, typeOnly) => typeOnly || !isSchema(target))).toEqual([]);
  });

  it('the domain does not know Lambda: its types belong to functions, and to the adapters for them', () => {
    const adapters = [
      'shared/http/http-function.ts',
      'shared/http/read-request.ts',
      'shared/platform/process-queue-batch.ts',
    ];
    const domain = inFolder('shared').filter(({ path }) => !adapters.includes(path));
    expect(violations(domain, (target) => target !== 'aws-lambda' && !target.startsWith('@middy/'))).toEqual(
      [],
    );
  });

  it('only adapters import the AWS SDK', () => {
    const adapters =
      /\.(dynamo|sqs|scheduler|kms|secrets|cloudformation|cloudwatch|lambda|sts|eventbridge)\.ts$|^shared\/carrier\/aws\/aws-[a-z-]+\.ts$|^shared\/platform\/(aws\/|context\.ts$)/;
    const others = [...inFolder('shared'), ...inFolder('functions')].filter(
      ({ path }) => !adapters.test(path),
    );
    expect(violations(others, (target) => !target.startsWith('@aws-sdk/'))).toEqual([]);
  });

  it('only bin and lib import the CDK', () => {
    const others = ['shared', 'functions', 'dashboard'].flatMap(inFolder);
    expect(violations(others, (target) => !/^(aws-cdk-lib|constructs|@aws-cdk\/)/.test(target))).toEqual([]);
  });

  it('the environment is read in one file, and in bin', () => {
    const readers = files
      // In quotes it is the name of what the bundler replaces.
      .filter(({ text }) => /(?<!')\bprocess\.env\b/.test(text))
      .map(({ path }) => path)
      .filter((path) => path !== 'shared/platform/env.ts' && !path.startsWith('bin/'));
    expect(readers).toEqual([]);
  });

  it('the texts of faults are set once, because they are for the whole process', () => {
    const setting = files.filter(({ text }) => /\bz\.config\(/.test(text)).map(({ path }) => path);
    expect(setting).toEqual(['shared/operation/operation.ts']);
  });

  it('a function has the environment of its own declaration, and gives the values to what it composes', () => {
    const readers = [...inFolder('functions'), ...inFolder('shared')].flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\benvironmentOf<'([\w-]+)'>/g), ([, name]) => [path, name]),
    );
    expect(readers).toEqual(
      inFolder('functions').map(({ path }) => [path, path.replace(/^functions\/|\.ts$/g, '')]),
    );
  });

  it('what functions declare is in no bundle: it is imported by its type', () => {
    const declarations = /^shared\/contract\/(\w+-)?uses\.ts$|^shared\/contract\/tables\.ts$/;
    const others = [...inFolder('functions'), ...inFolder('shared')].filter(
      ({ path }) => !declarations.test(path),
    );
    expect(violations(others, (target, _, typeOnly) => typeOnly || !declarations.test(target))).toEqual([]);
  });
});

describe('imports', () => {
  it('form no cycle, those of types included', () => {
    const graph = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
    expect(cyclesOf(graph)).toEqual([]);
  });

  it.each([
    { level: 'the folders of shared', depth: 2 },
    { level: 'the steps of a folder of shared', depth: 3 },
  ])('$level do not depend on each other in a cycle', ({ depth }) => {
    const folderOf = (path: string): string => dirname(path).split('/').slice(0, depth).join('/');
    // A file beside the steps is common to them, or puts them together.
    const isInside = (path: string): boolean => folderOf(path).split('/').length === depth;
    const graph = new Map<string, string[]>();
    for (const { path, imports } of inFolder('shared').filter((file) => isInside(file.path))) {
      const known = imports
        .map(({ target }) => target)
        .filter(
          (target) => target.startsWith('shared/') && isInside(target) && folderOf(target) !== folderOf(path),
        )
        .map(folderOf);
      graph.set(folderOf(path), [...(graph.get(folderOf(path)) ?? []), ...known]);
    }
    expect(graph.size).toBeGreaterThan(5);
    expect(cyclesOf(graph)).toEqual([]);
  });
});
