/** An opt-out list of a carrier beside the suppressions, with a clock that only the pauses of a comparison move. */
import {
  compareOptOuts,
  type ListedOptOut,
  type OptOutList,
  OutdatedPosition,
} from '../../../shared/message/suppression/compare-opt-outs.ts';
import type { ComparisonProgress } from '../../../shared/message/suppression/opt-out-comparison.dynamo.ts';
import type { SuppressionChange } from '../../../shared/message/suppression/suppression.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { aMessage } from './example-message.ts';

export const start = new Date('2026-11-20T10:00:00.000Z');
export const numberOf = (index: number): string => `+447700900${String(index).padStart(3, '0')}`;
export const [person, other] = [numberOf(1), numberOf(2)];

/** @param pageSize - the pages of the list are as long */
export function aWorld({ pageSize = 100, budgetMs = 240_000 } = {}) {
  let now = start;
  const { suppressions, contacts, tables } = inMemoryStores(undefined, () => now);
  const listed = new Map<string, ListedOptOut>();
  const clients = new Map<string, readonly string[]>();
  const calls: string[] = [];
  let progress: ComparisonProgress | undefined;
  let refuses: 'removal' | 'position' | undefined;
  const during: { step?: 'pause' | 'add'; act?: () => Promise<unknown> } = {};
  async function happens(step: 'pause' | 'add') {
    if (during.step === step) await during.act?.();
  }
  const list: OptOutList = {
    async page(after = '') {
      calls.push(`page ${after}`);
      if (refuses === 'position' && after !== '') throw new OutdatedPosition('unknown');
      const all = [...listed.values()].filter(({ recipient }) => recipient > after);
      const optOuts = all.toSorted((a, b) => (a.recipient < b.recipient ? -1 : 1)).slice(0, pageSize);
      return { optOuts, next: all.length > pageSize ? optOuts.at(-1)?.recipient : undefined };
    },
    find: async (recipient) => listed.get(recipient),
    async add(recipient) {
      calls.push(`add ${recipient}`);
      listed.set(recipient, { recipient, at: now, byPerson: false });
      await happens('add');
      return true;
    },
    async remove(recipient) {
      if (refuses === 'removal') return false;
      calls.push(`remove ${recipient}`);
      listed.delete(recipient);
      return true;
    },
  };
  const dependencies = {
    list,
    suppressions,
    conversations: {
      newestWith: async (recipient: string) => ({
        messages: (clients.get(recipient) ?? []).map((client_id) => ({
          ...aMessage({ client_id, recipient, status: 'sent', sent_at: start.toISOString() }),
        })),
        nextBefore: undefined,
      }),
    },
    contacts,
    progress: {
      read: async () => progress,
      async write(next: ComparisonProgress) {
        progress = next;
      },
    },
    clock: () => now,
    async sleep(ms: number) {
      now = addSeconds(now, ms / 1000);
      // The pause after a page of the list is over before the suppressions are read.
      if (progress?.phase === 'suppressions') await happens('pause');
    },
    budgetMs,
  };
  return {
    suppressions,
    contacts,
    tables,
    listed,
    calls,
    /** These clients wrote to the person. */
    wrote: (recipient: string, ...ids: string[]) => void clients.set(recipient, ids),
    refuse(what: typeof refuses) {
      refuses = what;
    },
    /** Happens while the run has read the rows: in a pause between two calls, or during the call that adds a number. */
    meanwhile: (step: 'pause' | 'add', act: () => Promise<unknown>) =>
      void Object.assign(during, { step, act }),
    listOptOut(recipient: string, seconds: number, byPerson = true) {
      listed.set(recipient, { recipient, at: addSeconds(start, seconds), byPerson });
    },
    change: async (seconds: number, wanted: Partial<SuppressionChange>) =>
      suppressions.change({
        client_id: 'a',
        recipient: person,
        scope: undefined,
        source: 'keyword',
        at: addSeconds(start, seconds),
        cause: `at ${seconds}`,
        ...wanted,
      }),
    scopeOf: async (clientId: string, recipient = person) =>
      (await suppressions.get(clientId, recipient))?.scope,
    hourLater() {
      now = addSeconds(now, 3600);
    },
    run: () => compareOptOuts(dependencies),
    /** Runs as often as it takes. */
    async runAll() {
      for (let runs = 1; ; runs += 1) if ((await compareOptOuts(dependencies)).complete) return runs;
    },
  };
}
