/** The client or source address that a request counts against, and the key of the row that counts it. */

export type Subject =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'address'; readonly address: string };

/** Returns the key of the row that counts the requests of a subject to an endpoint on a UTC day. */
export function counterKey(subject: Subject, endpoint: string, day: string): string {
  return `${subjectKey(subject)}|${endpoint}|${day}`;
}

/** Returns the key of the counter. Client ids contain no colon, so the two kinds cannot collide. */
export function subjectKey(subject: Subject): string {
  return subject.kind === 'client' ? subject.clientId : `address:${addressBlock(subject.address)}`;
}

/** Returns the block that is counted: one IPv6 caller usually has a whole /64, so its addresses count together. */
function addressBlock(address: string): string {
  if (!address.includes(':')) return address.slice(0, 64);
  const [head = '', tail] = address.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined
      ? []
      : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  const block = [...groups, ...zeros, ...after].slice(0, 4).map((group) => group.slice(0, 4).toLowerCase());
  return `${block.join(':')}::/64`;
}
