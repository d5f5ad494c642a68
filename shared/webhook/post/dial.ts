/**
 * Connects to a host with several addresses (RFC 8305, "Happy Eyeballs"): tries the next address when the one before
 * fails or takes long, without ending the earlier attempt; the first that connects is used.
 *
 * Node's own `autoSelectFamily` gives each address but the last 250 ms: on a network without IPv6 a host with an IPv4
 * and an IPv6 address then fails if it needs longer.
 */
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { acknowledgeWithinSeconds } from '../../contract/retry-delays.ts';

/** RFC 8305, section 5: "Connection Attempt Delay". */
const nextAddressAfterMs = 250;
const giveUpAfterMs = acknowledgeWithinSeconds * 1000;
/** Errors of this machine's network rather than of the endpoint: any other error is reported first. */
const unreachableCodes = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Returns permitted addresses only, or fails. */
  readonly lookup: LookupFunction;
}

export type ConnectTo = (address: string, port: number) => Socket;

const tcpConnect: ConnectTo = (host, port) =>
  netConnect({ host, port, noDelay: true, autoSelectFamily: false });

export async function dial(target: DialTarget, connectTo: ConnectTo = tcpConnect): Promise<Socket> {
  const addresses = isIP(target.host) === 0 ? familiesInTurn(await allOf(target)) : [target.host];
  return await new Promise((resolve, reject) => {
    const open = new Set<Socket>();
    const errors: Error[] = [];
    let next = 0;
    let nextTimer: NodeJS.Timeout | undefined;
    const giveUpTimer = setTimeout(
      () => failed(Object.assign(new Error('no address connected in time'), { code: 'ETIMEDOUT' })),
      giveUpAfterMs,
    );

    function tryNext(): void {
      clearTimeout(nextTimer);
      const address = addresses[next];
      if (address === undefined) {
        if (open.size === 0) failed(mostTelling(errors));
        return;
      }
      next += 1;
      const socket = connectTo(address, target.port);
      open.add(socket);
      socket.once('connect', () => connected(socket));
      socket.on('error', (error) => {
        if (!open.delete(socket)) return;
        errors.push(error);
        tryNext();
      });
      nextTimer = setTimeout(tryNext, nextAddressAfterMs);
    }

    function connected(socket: Socket): void {
      open.delete(socket);
      closeOthers();
      resolve(socket);
    }

    function failed(error: Error): void {
      closeOthers();
      reject(error);
    }

    function closeOthers(): void {
      clearTimeout(nextTimer);
      clearTimeout(giveUpTimer);
      for (const socket of open) socket.destroy();
      open.clear();
    }

    tryNext();
  });
}

function allOf({ host, lookup }: DialTarget): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

/** One address of each family in turn, so that a family that does not work costs one delay (RFC 8305, section 4). */
function familiesInTurn(addresses: readonly string[]): readonly string[] {
  const first = addresses.filter((address) => isIP(address) === isIP(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  return addresses.flatMap((_, n) => [first[n], second[n]]).filter((address) => address !== undefined);
}

function mostTelling(errors: readonly Error[]): Error {
  const isLocal = (error: Error) => 'code' in error && unreachableCodes.includes(String(error.code));
  return (
    errors.find((error) => !isLocal(error)) ?? errors[0] ?? new Error('there is no address to connect to')
  );
}
