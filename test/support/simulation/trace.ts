/** Tells a run in plain sentences: who did what, when, and with which outcome. */
import { routes } from '../../../shared/contract/routes.ts';
import { faultKinds } from './faults.ts';
import { timeOf } from './invariants/invariant.ts';
import type { Asked } from './outside/record.ts';
import type { Run } from './run.ts';

const valueMax = 160;

export function traceOf({ plan, stage, scene }: Run): string {
  const names = new Map(scene.clients.map(({ clientId, name }) => [clientId, name]));
  const known = (text: string): string =>
    [...names].reduce((changed, [id, name]) => changed.replaceAll(id, name), text);
  const { record } = stage;
  const lines: { readonly atMs: number; readonly text: string }[] = [];
  const say = (atMs: number, text: string): void => void lines.push({ atMs, text });

  for (const asked of record.asked) {
    const who = names.get(asked.clientId) ?? 'the administrator';
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
  for (const { atMs, messageId, to, carrierMessageId, refusedWith, call } of record.handOvers)
    say(
      atMs,
      `${call.process} gives ${messageId} for ${to} to the carrier, which ${carrierMessageId === undefined ? `refuses it: ${refusedWith}` : `takes it as ${carrierMessageId}`}`,
    );
  for (const { atMs, messageId, status } of record.published)
    say(atMs, `the carrier reports ${messageId} ${status}`);
  for (const { atMs, url, webhookId, event, status } of record.posted)
    say(
      atMs,
      `${url} gets ${webhookId}, ${event.event} of ${event.data.message_id}, and answers ${status ?? 'nothing in time'}`,
    );
  for (const { atMs, from, text } of record.wrote) say(atMs, `${from} writes "${text}"`);
  for (const { atMs, table, row } of record.edited)
    if (atMs > plan.startAt.getTime()) say(atMs, `a person writes into ${table}: ${short(row)}`);
  for (const { atMs, point, kind } of stage.faults.happened)
    say(atMs, `fault at ${point}: ${faultKinds[kind]}`);
  for (const { atMs, process } of stage.processDeaths) say(atMs, `the process ${process} dies`);
  for (const { of, fromMs, untilMs } of plan.outages)
    say(fromMs, `${of} is throttled until ${timeOf(untilMs)}`);
  const told = lines.sort((a, b) => a.atMs - b.atMs).map(({ atMs, text }) => `  ${timeOf(atMs)} ${text}`);
  const rows = [...plan.limits, ...plan.senders].map((row) => `  a row from the start: ${short(row)}`);
  return known([`  begins at ${plan.startAt.toISOString()}`, ...rows, ...told].join('\n'));
}

function methodOf({ route }: Asked): string {
  return route === 'adminApi' ? 'the admin API' : routes[route].method;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'no body';
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}
