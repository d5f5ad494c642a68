import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { functionProcesses, killProcess } from '../support/function-processes.ts';
import { eventually } from '../support/gateway.ts';
import { newClient, type TestClient } from '../support/gateway-client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const waves = 8;
const messagesInWave = 6;
/** By the names of their constructs. */
const victims = ['RelayChanges', 'DispatchMessage', 'RecordReceipt', 'DeliverWebhook'];
const killsOfEach = 5;
const killEveryMs = 150;
/** A queue shows again what a dead process took after 45, 30 or 75 s, and one message may meet several deaths. */
const patienceSeconds = 300;

describe('function processes killed under the running gateway, while messages are on their way', () => {
  let receiver: Receiver;
  let client: TestClient;

  beforeAll(async () => {
    receiver = await startReceiver();
    client = await newClient({ webhookUrl: receiver.url });
  });
  afterAll(async () => {
    await receiver.close();
  });

  it(
    'lose no message and no webhook',
    async () => {
      const kills = new Map<string, number>();
      let sending = true;
      const killing = killWhile(() => sending, kills);
      const ids: string[] = [];
      for (let wave = 0; wave < waves; wave += 1) {
        ids.push(...(await Promise.all(Array.from({ length: messagesInWave }, () => client.send({})))));
      }
      await pause(2000);
      sending = false;
      await killing;
      console.log(`killed: ${[...kills].map(([name, count]) => `${name} ${count}`).join(', ')}`);
      expect([...kills.keys()].toSorted()).toEqual(victims.toSorted());

      const undone = new Set(ids);
      await eventually(
        async () => {
          for (const id of undone) {
            const events = new Set(receiver.eventsOf(id));
            if (events.has('sms.sent') && events.has('sms.delivered')) undone.delete(id);
          }
          return undone.size === 0 ? true : undefined;
        },
        { withinSeconds: patienceSeconds, everyMilliseconds: 1000 },
      );
      const statuses = await Promise.all(ids.map(async (id) => (await client.status(id)).status));
      expect(statuses).toEqual(ids.map(() => 'delivered'));
    },
    (patienceSeconds + 60) * 1000,
  );

  /** One process of each kind at a time, until each kind lost so many. */
  async function killWhile(going: () => boolean, kills: Map<string, number>): Promise<void> {
    while (going()) {
      const processes = await functionProcesses();
      for (const name of victims) {
        const count = kills.get(name) ?? 0;
        const found = processes.find(({ command }) => command.includes(name));
        if (count < killsOfEach && found !== undefined && killProcess(found)) kills.set(name, count + 1);
      }
      await pause(killEveryMs);
    }
  }
});
