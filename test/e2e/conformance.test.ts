import { beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '../conformance/api.ts';
import { checks } from '../conformance/checks.ts';
import { newClient } from '../support/http/client.ts';

let api: Api;

beforeAll(async () => {
  api = await Api.at(await newClient({ name: 'Conformance', limits: 'default' }));
});

describe('the deployed gateway, over HTTP alone', () => {
  it.each(checks.map((check) => [check.name, check] as const))('%s', async (_name, { run }) => {
    const before = api.answers;
    await run(api);
    expect(api.answers).toBeGreaterThan(before);
  });
});
