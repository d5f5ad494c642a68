import { beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '../check/api.ts';
import { checks } from '../check/checks.ts';
import { limitCheck } from '../check/message-checks.ts';
import { newClient } from '../support/http/client.ts';

let shared: Api;

const newApi = async () => Api.at(await newClient({ name: 'Check', limits: 'default' }));

beforeAll(async () => {
  shared = await newApi();
});

describe('the deployed gateway, over HTTP only', () => {
  it.each(checks.map((check) => [check.name, check] as const))('%s', async (_name, check) => {
    // It uses up a limit, and the others would wait for the next minute.
    const api = check === limitCheck ? await newApi() : shared;
    const before = api.answers;
    await check.run(api);
    expect(api.answers).toBeGreaterThan(before);
  });
});
