import { beforeAll, describe, expect, it } from '@jest/globals';
import { ownClient } from '../support/own-client.ts';
import { Api } from './api.ts';
import { checks } from './checks.ts';

let api: Api;

beforeAll(async () => {
  api = await Api.at(await ownClient('Conformance'));
});

describe('the deployed gateway, over HTTP alone', () => {
  it.each(checks.map((check) => [check.name, check] as const))(
    '%s',
    async (_name, { run }) => {
      const before = api.answers;
      await run(api);
      expect(api.answers).toBeGreaterThan(before);
    },
    180_000,
  );
});
