/** The HTTPS requests of processes to vendors: decides what becomes of each on its way, and tells it as Node's client does. */
import { EventEmitter } from 'node:events';
import type { Call, NotedCall } from '../aws/requests.ts';
import type { FaultRates, Faults } from '../faults.ts';
import type { Process } from '../lambda/processes.ts';
import type { Outage } from '../stage.ts';
import type { VirtualTime } from '../virtual-time.ts';

export interface VendorRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
}

export interface VendorResponse {
  readonly status: number;
  readonly body: object;
}

export interface Vendor {
  readonly name: string;
  /** Returns true if the vendor can be reached for this request. */
  readonly isReachable: (request: VendorRequest) => boolean;
  /** Takes effect when it is called. */
  readonly answer: (request: VendorRequest, noted: NotedCall) => VendorResponse;
}

interface VendorSettings {
  readonly vendor: Vendor;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly outageOf: (call: Call, process: Process) => Pick<Outage, 'fault'> | undefined;
  readonly note: (call: NotedCall) => void;
}

/** The rates include errors without the vendor's own body, which do not say what became of the message. */
const rates: FaultRates = {
  'dies before': 0.002,
  'dies after': 0.002,
  'no connection': 0.01,
  'fails before': 0.006,
  'fails after': 0.008,
  'no request': 0.006,
  'no answer': 0.02,
  'arrives late': 0.006,
  'is answered late': 0.006,
};
const lateMs = { least: 200, most: 20_000 } as const;

export function vendorCalls({ vendor, time, faults, outageOf, note }: VendorSettings) {
  return function httpsRequest(process: Process, address: string, { method }: { readonly method: string }) {
    const client = new EventEmitter();
    let isOver = false;
    const later = (ms: number, act: () => void): void =>
      time.at(time.now() + ms, () => process.arrives(() => !isOver && act()));

    function destroy(error: Error): void {
      if (isOver) return;
      isOver = true;
      time.at(time.now(), () => process.arrives(() => client.emit('error', error)));
    }

    function respond({ status, body }: VendorResponse, ms: number): void {
      later(ms, () => {
        isOver = true;
        const response = Object.assign(new EventEmitter(), {
          ...{ statusCode: status, complete: true, setEncoding() {} },
        });
        client.emit('response', response);
        response.emit('data', JSON.stringify(body));
        response.emit('end');
      });
    }

    function send(body: string): unknown {
      const request = { method, url: new URL(address), body };
      const operation = `${method} ${request.url.pathname}`;
      const input = body === '' ? Object.fromEntries(request.url.searchParams) : JSON.parse(body);
      const call = { service: vendor.name, operation, input, about: vendor.name };
      const { fault: decided, point } = faults.decide(
        `${process.file} ${operation} ${vendor.name}`,
        rates,
        time.now(),
      );
      const outage = outageOf(call, process);
      const fault = decided ?? outage?.fault ?? (outage && 'no connection');
      const noted = {
        ...{ service: vendor.name, operation, about: vendor.name, input: fault && input },
        ...{ atMs: time.now(), process: process.id, point, fault },
      };
      note(noted);
      if (fault === 'dies before') return process.die();
      const socket = new EventEmitter();
      client.emit('socket', socket);
      if (fault === 'no connection' || !vendor.isReachable(request))
        return later(3, () => destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })));
      const connectMs = faults.durationMs(`${point} connection`, 2, 30);
      later(connectMs, () => socket.emit('secureConnect'));
      // The caller's own time limit ends it.
      if (fault === 'no request') return undefined;
      if (fault === 'fails before') return respond({ status: 503, body: {} }, connectMs + 5);
      const lateness = (): number => faults.durationMs(`${point} late`, lateMs.least, lateMs.most);
      const takesMs =
        connectMs + faults.durationMs(point, 3, 60) + (fault === 'arrives late' ? lateness() : 0);
      return time.at(time.now() + takesMs, () => {
        const response = vendor.answer(request, noted);
        if (fault === 'dies after') return process.die();
        if (fault === 'no answer') return;
        if (fault === 'fails after') return respond({ status: 500, body: {} }, 5);
        respond(
          response,
          fault === 'is answered late' ? lateness() : faults.durationMs(`${point} answer`, 2, 20),
        );
      });
    }

    return Object.assign(client, { destroy, end: (body = '') => void send(body) });
  };
}
