/**
 * Processes of the functions, as Lambda runs them: a process has one invocation at a time, is used again, is frozen in
 * between, and can die at any call. A dead one makes no call, and nothing that it waits for arrives.
 */
import type { DeployedFunction } from '../deployment.ts';
import type { Faults } from '../faults.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { FunctionCode } from './function-code.ts';
import { type ProcessPorts, runInProcess } from './process-globals.ts';

export interface Process {
  /** `send-sms 3`. */
  readonly id: string;
  readonly file: string;
  dead: boolean;
  /** Passes on what arrives for the process: now, when it is next invoked, or never. */
  arrives(run: () => void): void;
  /** Ends the process; its invocation fails. */
  die(): void;
}

interface Running extends Process {
  readonly startedAtMs: number;
  readonly ports: ProcessPorts;
  readonly handler: (event: unknown, context: unknown) => unknown;
  frozen: boolean;
  readonly waiting: (() => void)[];
  died: () => void;
}

export type Outcome =
  | { readonly answered: true; readonly value: unknown; readonly process: string }
  | { readonly answered: false; readonly why: 'died' | 'time limit' | 'threw'; readonly process: string };

interface ProcessSettings {
  readonly code: ReadonlyMap<string, FunctionCode>;
  readonly files: Readonly<Record<string, string>>;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** How far the clocks of processes may be from the true time, in milliseconds. */
  readonly skewMaxMs: number;
  readonly aws: (process: Process, request: never, limitMs: number, signal?: AbortSignal) => Promise<unknown>;
  readonly post: (process: Process, request: never) => Promise<unknown>;
  readonly httpsRequest: (process: Process, url: string, options: never) => unknown;
  /** Takes what the processes of a function print. */
  readonly print?: ((file: string, text: string) => void) | undefined;
  /** Returns true if no more faults happen. Processes are then kept, because a start takes longer than a run. */
  readonly isCalm: () => boolean;
}

/** How long Lambda keeps a process: in the simulation short while things go wrong, so that there are cold starts. */
const keptMs = 20 * 60_000;
const never = new Promise<never>(() => {});

export type Processes = ReturnType<typeof functionProcesses>;

export function functionProcesses(settings: ProcessSettings) {
  const { code, time, faults, skewMaxMs } = settings;
  const idle = new Map<string, Running[]>();
  const counts = new Map<string, number>();
  let invocations = 0;
  const deaths: { readonly process: string; readonly atMs: number }[] = [];

  function start(deployed: DeployedFunction): Running {
    const { file } = deployed;
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    const id = `${file} ${count}`;
    const random = faults.random(`process ${id}`);
    const skewMs = Math.round((random() * 2 - 1) * skewMaxMs);
    const state: Omit<Running, 'handler' | 'ports'> = {
      id,
      file,
      startedAtMs: time.now(),
      dead: false,
      frozen: false,
      waiting: [],
      died: () => undefined,
      arrives(run) {
        if (state.dead) return;
        if (state.frozen) state.waiting.push(run);
        else runInProcess(ports, run);
      },
      die() {
        if (state.dead) return;
        state.dead = true;
        deaths.push({ process: id, atMs: time.now() });
        state.died();
      },
    };
    const ports: ProcessPorts = {
      now: () => time.now() + skewMs,
      startTimer(ms, run) {
        let stopped = false;
        time.at(time.now() + Math.max(0, ms), () => {
          if (!stopped) state.arrives(() => !stopped && run());
        });
        return () => {
          stopped = true;
        };
      },
      random,
      environment: {
        ...deployed.environment,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'simulated',
        AWS_SECRET_ACCESS_KEY: 'simulated',
        AWS_LAMBDA_FUNCTION_NAME: deployed.id,
      },
      files: settings.files,
      aws: (request: never, limitMs: number, signal?: AbortSignal) =>
        state.dead ? never : settings.aws(state, request, limitMs, signal),
      post: (request: never) => (state.dead ? never : settings.post(state, request)),
      print: (text) => settings.print?.(file, text),
      httpsRequest: (url, options) => settings.httpsRequest(state, url, options),
    };
    const evaluate = code.get(file);
    if (evaluate === undefined) throw new Error(`no code of ${file}`);
    const { handler } = runInProcess(ports, evaluate);
    return Object.assign(state, { ports, handler: handler as Running['handler'] });
  }

  function processFor(deployed: DeployedFunction): Running {
    const waiting = idle.get(deployed.id) ?? [];
    idle.set(deployed.id, waiting);
    for (;;) {
      const process = waiting.pop();
      if (process === undefined) return start(deployed);
      if (settings.isCalm() || time.now() - process.startedAtMs < keptMs) return process;
    }
  }

  /** Settles when the function answers, throws, dies or reaches its time limit. */
  function invoke(deployed: DeployedFunction, event: unknown): Promise<Outcome> {
    const process = processFor(deployed);
    const endsAtMs = time.now() + deployed.timeoutSeconds * 1000;
    invocations += 1;
    return new Promise((resolve) => {
      let settled = false;
      const settle = (outcome: Outcome): void => {
        if (settled) return;
        settled = true;
        if (!process.dead) {
          process.frozen = true;
          idle.get(deployed.id)?.push(process);
        }
        resolve(outcome);
      };
      const failed = (why: 'died' | 'time limit' | 'threw') =>
        ({ answered: false, why, process: process.id }) as const;
      process.died = () => settle(failed('died'));
      time.at(endsAtMs, () => {
        if (settled) return;
        process.died = () => settle(failed('time limit'));
        process.die();
      });
      process.frozen = false;
      for (const run of process.waiting.splice(0)) runInProcess(process.ports, run);
      const context = {
        awsRequestId: `invocation-${invocations}`,
        functionName: deployed.id,
        functionVersion: '1',
        memoryLimitInMB: '512',
        invokedFunctionArn: `arn:aws:lambda:eu-west-1:111122223333:function:${deployed.id}`,
        getRemainingTimeInMillis: () => endsAtMs - time.now(),
      };
      const work = async (): Promise<unknown> =>
        runInProcess(process.ports, () => process.handler(event, context));
      work().then(
        (value) => !process.dead && settle({ answered: true, value, process: process.id }),
        () => !process.dead && settle(failed('threw')),
      );
    });
  }

  return {
    invoke,
    deaths: deaths as readonly { readonly process: string; readonly atMs: number }[],
    counted: () => ({ invocations, processes: [...counts.values()].reduce((sum, each) => sum + each, 0) }),
  };
}
