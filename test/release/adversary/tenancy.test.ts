/** Tenancy: no request of one client reads, changes or reveals what belongs to another. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Route, routes } from '../../../shared/contract/routes.ts';
import { accessCache } from '../../../shared/platform/expiring-cache.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { adminToken, call, newClient, type TestClient } from '../../support/http/client.ts';
import { inSeconds } from '../../support/http/expected-responses.ts';

let owner: TestClient;
let stranger: TestClient;
beforeAll(async () => {
  [owner, stranger] = await Promise.all([newClient(), newClient()]);
});

describe('an id of another client', () => {
  it('is 404 for every operation that takes one, with the body of an id that never was', async () => {
    const scheduled_at = inSeconds(3600);
    const single = await owner.post('/api/v1/sms/send', { to: freshNumber(), message: 'x', scheduled_at });
    const bulk = await owner.post('/api/v1/sms/bulk', { message: 'x', recipients: [freshNumber()] });
    const endpoint = await owner.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
    const test = await owner.post(`/api/v1/webhook-endpoints/${String(endpoint.body.endpoint_id)}/test`, {});
    const resend = await owner.post('/api/v1/webhook-deliveries/resend', { since: inSeconds(-60) });
    const made = [single, bulk, endpoint, test, resend];
    expect(made.map(({ status }) => status)).toEqual([202, 202, 201, 202, 202]);
    const ids: Readonly<Record<string, readonly string[]>> = {
      message_id: [String(single.body.message_id), String(bulk.body.batch_id)],
      endpoint_id: [String(endpoint.body.endpoint_id)],
      delivery_id: [String(test.body.delivery_id)],
      resend_id: [String(resend.body.resend_id)],
    };
    const attacks: [method: string, path: string, body: object | undefined][] = [];
    for (const { method, path } of Object.values<Route>(routes)) {
      const name = /^\/api\/v1\/.*\{(\w+)\}/.exec(path)?.[1];
      // Everybody may name every number: a suppression is of the caller.
      if (name === undefined || name === 'recipient') continue;
      expect(Object.keys(ids)).toContain(name);
      const body = method === 'GET' || method === 'DELETE' ? undefined : { enabled: false };
      for (const id of ids[name] ?? []) attacks.push([method, path.replace(`{${name}}`, id), body]);
    }
    expect(attacks.length).toBeGreaterThan(10);
    const { endpoint_id } = endpoint.body;
    attacks.push(['POST', '/api/v1/webhook-deliveries/resend', { endpoint_id, since: inSeconds(-60) }]);
    for (const [method, path, body] of attacks) {
      const refused = await stranger.call(method, path, body && { body });
      expect([method, path, refused.status, refused.body.error]).toEqual([method, path, 404, 'not_found']);
    }
    expect((await owner.call('GET', `/api/v1/webhook-endpoints/${endpoint_id}`)).body).toMatchObject({
      enabled: true,
    });
    expect((await owner.call('GET', `/api/v1/sms/status/${single.body.message_id}`)).body).toMatchObject({
      status: 'scheduled',
    });
  });
});

describe('a sender that rows give to a client', () => {
  it('is 403 for every other client, in each way to name it; its owner may', async () => {
    const name = `A${randomInt(1e6, 1e7)}b`;
    const number = `+4477009${randomInt(10_000, 99_999)}`;
    const credential = await adminToken();
    for (const [country, identity] of Object.entries({
      GB: name,
      FR: `${number.slice(0, 3)} (${number.slice(3)})`,
    })) {
      const body = { client_id: owner.clientId, country, identity };
      expect((await call('PATCH', '/admin/api/senders', { credential, body })).status).toBe(200);
    }
    const to = freshNumber();
    const sms = (from: string) => ({ to, message: 'x', from });
    // Each process of a function reads the rows at most this long ago.
    await pause((accessCache.maxAgeSeconds + 1) * 1000);
    const spellings = [name, name.toLowerCase(), name.toUpperCase(), number, number.replace('+44', '+440')];
    for (const from of spellings) {
      const attacks: [path: string, body: object][] = [
        ['sms/send', sms(from)],
        ['sms/send', { ...sms(from), scheduled_at: inSeconds(3600) }],
        ['sms/send', { ...sms(from), fallback: [{ channel: 'sms' }] }],
        ['sms/send', { to, message: 'x', fallback: [{ channel: 'sms', from }] }],
        ['sms/bulk', { message: 'x', recipients: [to], from }],
        ['sms/bulk', { message: 'x', recipients: [to], from, scheduled_at: inSeconds(3600) }],
        ['whatsapp/send', { to, message: 'x', fallback: [{ channel: 'sms', from }] }],
      ];
      for (const [path, body] of attacks) {
        const refused = await stranger.post(`/api/v1/${path}`, body);
        expect([from, path, refused.status, refused.body.error]).toEqual([from, path, 403, 'forbidden']);
        const dry = await stranger.post(`/api/v1/${path}?dry_run=true`, body);
        expect([from, path, dry.body.would_be_accepted]).toEqual([from, path, false]);
      }
      expect((await owner.post('/api/v1/sms/send', sms(from))).status).toBe(202);
    }
  });
});
