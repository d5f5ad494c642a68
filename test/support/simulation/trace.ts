/** Tells a run in plain sentences: who did what, when, and with which outcome. */
import { routes } from '../../../shared/contract/routes.ts';
import { faultKinds, keyOf } from './faults.ts';
import { timeOf } from './invariants/invariant.ts';
import type { Asked } from './outside/record.ts';
import type { Run } from './run.ts';

const valueMax = 160;
/** A trace of more lines has its first and last ones. */
const linesMax = 80;

interface TraceOptions {
  /** True to print everything, not only the lines about the violation. */
  readonly whole?: boolean;
}

export function traceOf(run: Run, { whole = false }: TraceOptions = {}): string {
  const { plan, stage, scene } = run;
  const subjects = whole ? [] : subjectsOf(run);
  const isAbout = (text: string): boolean =>
    subjects.length === 0 || subjects.some((subject) => text.includes(subject));
  const names = new Map(
    [...scene.testers, scene.onlyTester, ...scene.clients].map(({ clientId, name }) => [clientId, name]),
  );
  const known = (text: string): string =>
    [...names].reduce((changed, [id, name]) => changed.replaceAll(id, name), text);
  const { record } = stage;
  const lines: { readonly atMs: number; readonly text: string }[] = [];
  const say = (atMs: number, text: string): void => void lines.push({ atMs, text });
  const sayIf = (about: unknown, atMs: number, text: string): void => {
    if (isAbout(`${text} ${JSON.stringify(about)}`)) say(atMs, text);
  };

  for (const asked of record.asked) {
    if (!isAbout(JSON.stringify(asked))) continue;
    const who =
      asked.route === 'carrierCallback' ? asked.clientId : (names.get(asked.clientId) ?? 'the administrator');
    say(
      asked.atMs,
      `${who} asks ${methodOf(asked)} ${asked.path}${asked.key === undefined ? '' : ` under ${asked.key}`}${asked.body === undefined ? '' : `: ${short(asked.body)}`}`,
    );
    if (asked.answeredAtMs !== undefined)
      say(
        asked.answeredAtMs,
        `${who} ${asked.lost === true ? 'does not get the answer' : 'is answered'} ${asked.status} to ${methodOf(asked)} ${asked.path}: ${short(asked.answer)}`,
      );
  }
  for (const { atMs, messageId, to, carrier, carrierMessageId, refusedWith, call } of record.handOvers)
    sayIf(
      messageId,
      atMs,
      `${call.process} gives ${messageId} for ${to} to the carrier ${carrier}, which ${carrierMessageId === undefined ? `refuses it: ${refusedWith}` : `takes it as ${carrierMessageId}`}`,
    );
  for (const { atMs, messageId, carrier, status } of record.published)
    sayIf(messageId, atMs, `the carrier ${carrier} reports ${messageId} ${status}`);
  for (const { atMs, messageId, carrier, status } of record.untold)
    sayIf(messageId, atMs, `the carrier ${carrier} has ${messageId} ${status}, and its report is lost`);
  for (const { atMs, url, webhookId, event, status } of record.posted)
    sayIf(
      event,
      atMs,
      `${url} gets ${webhookId}, ${event.event} of ${event.data.message_id}, and answers ${status ?? 'nothing in time'}`,
    );
  for (const { atMs, from, text } of record.wrote) sayIf(from, atMs, `${from} writes "${text}"`);
  for (const { atMs, table, row } of record.edited)
    if (atMs > plan.startAt.getTime()) sayIf(row, atMs, `a person writes into ${table}: ${short(row)}`);
  const about = whole ? undefined : callsAbout(run);
  for (const { atMs, point, kind } of stage.faults.happened)
    if (about === undefined || about.points.has(point)) say(atMs, `fault at ${point}: ${faultKinds[kind]}`);
  for (const { atMs, process } of stage.processDeaths)
    if (about === undefined || about.processes.has(process)) say(atMs, `the process ${process} dies`);
  for (const { of, fromMs, untilMs } of plan.outages)
    say(fromMs, `${of} is throttled until ${timeOf(untilMs)}`);
  const told = lines.sort((a, b) => a.atMs - b.atMs).map(({ atMs, text }) => `  ${timeOf(atMs)} ${text}`);
  const rows = [...plan.limits, ...plan.senders].map((row) => `  a row from the start: ${short(row)}`);
  const left = whole ? 0 : told.length - linesMax;
  const shown =
    left <= 0
      ? told
      : [
          ...told.slice(0, linesMax / 2),
          `  … ${left} lines are left out here (--whole prints everything)`,
          ...told.slice(-linesMax / 2),
        ];
  return known([`  begins at ${plan.startAt.toISOString()}`, ...rows, ...shown].join('\n'));
}

/**
 * Returns the subjects of the violation: the ids, numbers and URLs that it names, and the messages of their requests. Includes
 * the clients only if it names nothing else.
 */
function subjectsOf({ violations, stage: { record } }: Run): readonly string[] {
  const named = new Set(
    violations[0]?.what.match(/\b(msg|otp|whd|whe|whr|bat)_\w+|\+\d{8,}|https:\S+|client_\w+/g),
  );
  const things = [...named].filter((name) => !name.startsWith('client_'));
  if (things.length === 0) return [...named];
  const isNamed = (value: unknown): boolean => {
    const text = JSON.stringify(value) ?? '';
    return things.some((thing) => text.includes(thing));
  };
  const keys = record.asked.flatMap(({ key, answer }) => (key !== undefined && isNamed(answer) ? [key] : []));
  return [...things, ...keys.map((key) => `"${key}"`)];
}

/** The calls to AWS about the violation that went wrong, and the processes that made any. */
function callsAbout(run: Run) {
  const subjects = subjectsOf(run);
  const calls = run.stage.calls.filter(({ input, fault }) => {
    if (fault === undefined) return false;
    const text = JSON.stringify(input);
    return subjects.some((subject) => text.includes(subject));
  });
  return {
    points: new Set(calls.map(({ point }) => point)),
    processes: new Set(calls.map(({ process }) => process)),
  };
}

/** The faults of the calls about the violation. */
export function faultsOf(run: Run): readonly string[] {
  const { points } = callsAbout(run);
  return run.stage.faults.happened.filter(({ point }) => points.has(point)).map(keyOf);
}

/** The steps that made the requests about the violation. */
export function stepsOf(run: Run): ReadonlySet<string> {
  const subjects = subjectsOf(run);
  const about = run.stage.record.asked.filter((asked) => {
    const text = JSON.stringify(asked);
    return subjects.some((subject) => text.includes(subject));
  });
  return new Set(
    about.flatMap(({ key, body }) => {
      const names = [key, Reflect.get(Object(body), 'reference')];
      return names.flatMap((name) => /(?:^|-)(\d+)(?=[.-]|$)/.exec(String(name ?? ''))?.[1] ?? []);
    }),
  );
}

function methodOf({ route }: Asked): string {
  if (route === 'adminApi') return 'the admin API';
  return route === 'carrierCallback' ? 'POST' : routes[route].method;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'no body';
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}
