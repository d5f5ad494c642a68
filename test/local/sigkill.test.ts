/**
 * Function processes die while messages are on their way, on a gateway of its own: what a process has not recorded is done
 * again, which the tests of the shared gateway would see as a second POST.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { functionProcesses, killProcess } from '../support/gateway/function-processes.ts';
import { eventually, gateway, waitMaxSeconds } from '../support/gateway/gateway.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook/webhook-endpoint.ts';

const wavesMin = 3;
const messagesInWave = 6;
/** By the names of their constructs. */
const victims = ['RelayChanges', 'DispatchMessage', 'RecordReceipt', 'DeliverWebhook'];
const killsOfEach = 2;
const killEveryMs = 150;
/** A queue shows again what a dead process took after 45, 30 or 32 s, and one message may meet several deaths. */
const withinSeconds = 2 * waitMaxSeconds;

describe('function processes killed under the running gateway, while messages are on their way', () => {
  let webhookEndpoint: WebhookEndpoint;
  let client: TestClient;
  let stop: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    ({ stop } = await runGateway());
    webhookEndpoint = await startWebhookEndpoint();
    client = await newClient({ webhookUrl: webhookEndpoint.url });
  });
  afterAll(async () => {
    await webhookEndpoint.close();
    await stop?.();
  });

  it(
    'lose no message and no webhook',
    async () => {
      const kills = new Map<string, number>();
      const ids: string[] = [];
      const killing = killEach(kills);
      let killed = false;
      void killing.then(() => {
        killed = true;
      });
      // As long as processes are killed there is work for them.
      for (let wave = 0; !killed || wave < wavesMin; wave += 1) {
        ids.push(...(await Promise.all(Array.from({ length: messagesInWave }, () => client.send({})))));
        await pause(300);
      }
      await killing;
      console.log(`${ids.length} messages; killed: ${JSON.stringify(Object.fromEntries(kills))}`);
      expect(Object.fromEntries(kills)).toEqual(
        Object.fromEntries(victims.map((name) => [name, killsOfEach])),
      );

      const undone = new Set(ids);
      await eventually(
        async () => {
          for (const id of undone) {
            const events = new Set(webhookEndpoint.eventsOf(id));
            if (events.has('sms.sent') && events.has('sms.delivered')) undone.delete(id);
          }
          return undone.size === 0 ? true : undefined;
        },
        { withinSeconds, everyMilliseconds: 1000 },
      );
      const statuses = await Promise.all(ids.map(async (id) => (await client.status(id)).status));
      expect(statuses).toEqual(ids.map(() => 'delivered'));
    },
    (withinSeconds + 2 * waitMaxSeconds) * 1000,
  );

  /** One process of each kind at a time, until each kind has lost so many. */
  async function killEach(kills: Map<string, number>): Promise<void> {
    const deadline = Date.now() + waitMaxSeconds * 1000;
    const victimsLeft = (): string[] => victims.filter((name) => (kills.get(name) ?? 0) < killsOfEach);
    while (victimsLeft().length > 0 && Date.now() < deadline) {
      const processes = await functionProcesses(gateway().emulator_pid);
      for (const name of victimsLeft()) {
        const found = processes.find(({ command }) => command.includes(name));
        if (found !== undefined && killProcess(found)) kills.set(name, (kills.get(name) ?? 0) + 1);
      }
      await pause(killEveryMs);
    }
  }
});
