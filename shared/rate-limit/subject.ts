/** Who a request counts on: its client, or the address it came from while it has not shown to be a client's. */
export type Subject =
  | { readonly kind: 'client'; readonly clientId: string }
  | { readonly kind: 'address'; readonly address: string };

/** The first part of a counter's key. Client ids never hold a colon, so the two kinds never meet. */
export function subjectKey(subject: Subject): string {
  return subject.kind === 'client' ? subject.clientId : `address:${addressBlock(subject.address)}`;
}

/** One IPv6 caller commonly owns a whole /64, so all of it counts together. */
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
