/** What is wrong with usage, measured by the rows of the messages: for the end of a simulation. */
import type { Message } from '../../../shared/message/message.ts';
import { periodAt } from '../../../shared/usage/period.ts';
import { usageOfAll } from '../../../shared/usage/read-usage.ts';
import type { UsageReader } from '../../../shared/usage/usage-reader.dynamo.ts';
import { usageOfMessages } from './usage-of-messages.ts';

/** One sentence for each month and client, or group, whose usage is not that of its messages. */
export async function usageFaults(usage: UsageReader, messages: readonly Message[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [month, some] of Map.groupBy(messages, ({ created_at }) => created_at.slice(0, 7))) {
    const periods = [periodAt('month', new Date(`${month}-01T00:00:00.000Z`))];
    const groupings = {
      client: (one: Message) => [one.client_id],
      status: (one: Message) => [
        one.channel,
        one.type,
        one.country ?? null,
        one.status === 'sending' ? 'queued' : one.status,
      ],
    };
    const entries = {
      client: await usageOfAll(usage, { interval: 'month', periods, groupBy: ['client'] }, 'USD'),
      status: await usageOfAll(
        usage,
        { interval: 'month', periods, groupBy: ['channel', 'type', 'country', 'status'] },
        'USD',
      ),
    };
    for (const name of ['client', 'status'] as const) {
      const expected = usageOfMessages(some, (one) => JSON.stringify(groupings[name](one)));
      const found = new Map(
        entries[name].map(({ from: _from, to: _to, client_id, channel, type, country, status, ...sums }) => [
          JSON.stringify(name === 'client' ? [client_id] : [channel, type, country, status]),
          sums,
        ]),
      );
      for (const key of new Set([...Object.keys(expected), ...found.keys()])) {
        const [one, other] = [JSON.stringify(expected[key]), JSON.stringify(found.get(key))];
        if (one !== other) faults.push(`${month} ${key}: ${other ?? 'nothing'}, but the messages are ${one}`);
      }
    }
  }
  return faults;
}
