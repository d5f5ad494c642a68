/** The expressions of updates. */

/** Sets some attributes of a row, and removes those that are undefined. */
export function setOrRemove(values: Readonly<Record<string, unknown>>) {
  const names = Object.keys(values);
  const set = names.filter((name) => values[name] !== undefined);
  const removed = names.filter((name) => values[name] === undefined);
  const clauses = [
    set.length > 0 ? `SET ${set.map((name) => `#${name} = :${name}`).join(', ')}` : '',
    removed.length > 0 ? `REMOVE ${removed.map((name) => `#${name}`).join(', ')}` : '',
  ];
  return {
    UpdateExpression: clauses.join(' ').trim(),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    // DynamoDB refuses an empty list.
    ...(set.length > 0
      ? { ExpressionAttributeValues: Object.fromEntries(set.map((name) => [`:${name}`, values[name]])) }
      : {}),
  };
}

/** Adds each amount to its attribute of a row that is deleted by its TTL. */
export function addAmounts(amounts: Iterable<readonly [string, number]>, purgeAt: number) {
  const entries = [...amounts];
  return {
    UpdateExpression: `SET purge_at = :p ADD ${entries.map((_entry, i) => `#${i} :${i}`).join(',')}`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], i) => [`#${i}`, name])),
    ExpressionAttributeValues: {
      ':p': purgeAt,
      ...Object.fromEntries(entries.map(([, amount], i) => [`:${i}`, amount])),
    },
  };
}
