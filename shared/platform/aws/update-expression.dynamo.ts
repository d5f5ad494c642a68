/** The expressions of an update that sets some attributes of a row, and removes those that are undefined. */
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
