/** Suppressions in memory, by the rules of the table. */
import {
  isSuppression,
  type SuppressionChange,
  type SuppressionRow,
} from '../../../shared/message/suppression/suppression.ts';
import type {
  SuppressionChanges,
  SuppressionStore,
} from '../../../shared/message/suppression/suppression-store.ts';

export function memorySuppressionStore(): SuppressionStore & SuppressionChanges {
  const rows = new Map<string, SuppressionRow>();
  const keyOf = (clientId: string, recipient: string) => `${clientId} ${recipient}`;

  function after(row: SuppressionRow | undefined, change: SuppressionChange): SuppressionRow {
    const { client_id, recipient, source } = change;
    // A person or a carrier never narrows what is suppressed.
    const isWish = source === 'keyword' || source === 'carrier';
    const scope = (isWish && change.scope !== undefined ? row?.scope : undefined) ?? change.scope;
    const reason = (isWish ? row?.reason : undefined) ?? change.reason;
    const changed_at = change.at.toISOString();
    const enters = row === undefined || (row.scope === undefined) !== (scope === undefined);
    return {
      client_id,
      recipient,
      source,
      changed_at,
      cause: enters ? change.cause : row.cause,
      ...(scope === undefined ? {} : { scope, suppressed_at: row?.suppressed_at ?? changed_at }),
      ...(scope === undefined || reason === undefined ? {} : { reason }),
    };
  }

  return {
    async get(clientId, recipient) {
      const row = rows.get(keyOf(clientId, recipient));
      return isSuppression(row) ? row : undefined;
    },
    async change(change) {
      const key = keyOf(change.client_id, change.recipient);
      const row = rows.get(key);
      if (row?.cause === change.cause) return { outcome: 'changed', row };
      if (row !== undefined && row.changed_at >= change.at.toISOString()) return { outcome: 'outdated' };
      const next = after(row, change);
      rows.set(key, next);
      const was = row?.scope !== undefined;
      return { outcome: was === (change.scope !== undefined) ? 'same' : 'changed', row: next };
    },
    async changedSince(since, rowsRead, after) {
      const all = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
      const from = after === undefined ? '' : keyOf(after.client_id, after.recipient);
      const read = all.filter(([key]) => key > from).slice(0, rowsRead);
      const [, last] = read.at(-1) ?? [];
      const found = read.map(([, row]) => row);
      return {
        rows: found.filter((row) => since === undefined || row.changed_at >= since.toISOString()),
        ...(read.length < rowsRead || last === undefined
          ? {}
          : { nextAfter: { client_id: last.client_id, recipient: last.recipient } }),
      };
    },
    async list(clientId, limit, last) {
      const all = [...rows.values()]
        .filter((row) => row.client_id === clientId && row.recipient > (last ?? ''))
        .filter(isSuppression)
        .toSorted((one, other) => (one.recipient < other.recipient ? -1 : 1));
      const suppressions = all.slice(0, limit);
      const end = suppressions.at(-1)?.recipient;
      return { suppressions, ...(all.length > limit && end !== undefined ? { nextAfter: end } : {}) };
    },
  };
}
