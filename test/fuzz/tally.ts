/** What a fuzz run met, by operation and status: a run that met little but limits and refusals has shown nothing. */
import { operations as descriptions, type OperationName } from '../../lib/build/openapi/operations.ts';
import { routes } from '../../shared/contract/routes.ts';

/** The largest share of an operation's answers that may be refusals by a limit or for a missing credential. */
const turnedAwayMax = 0.2;
/** The smallest share that must be successes. */
const succeededMin = 0.05;
/**
 * Of these a client may have or make only a few, or few of the numbers that are drawn are suppressed, so that the others are
 * refused: at least one must succeed.
 */
const fewSucceed: ReadonlySet<OperationName> = new Set([
  'createWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookSecret',
  'rotateWebhookEndpointSecret',
  'deleteSuppression',
]);

export interface Tally {
  count(method: string, path: string, status: number): void;
  /** One line for each operation, with all its statuses. */
  lines(): string[];
  /** Answers that no operation may give, and operations of which too little was met; none where all is well. */
  faults(): string[];
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly form: RegExp;
  /** Where nothing in a request varies, a few cases are all there are. */
  readonly varies: boolean;
  readonly succeededMin: number;
  readonly statuses: Map<number, number>;
}

export function tallyOfAnswers(): Tally {
  const operations = (Object.keys(descriptions) as OperationName[]).map(operationOf);
  const none: Operation = {
    name: 'no operation',
    method: '',
    form: /^/,
    varies: false,
    succeededMin: 0,
    statuses: new Map(),
  };

  return {
    count(method, path, status) {
      const [pathname = ''] = path.split('?', 1);
      const { statuses } =
        operations.find((each) => each.method === method && each.form.test(pathname)) ?? none;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
    lines: () => [...operations, none].map(lineOf),
    faults: () => [...operations.flatMap(shortfallsOf), ...[...operations, none].flatMap(serverErrorsOf)],
  };
}

function operationOf(route: OperationName): Operation {
  const { method, path } = routes[route];
  const { request, parameters } = descriptions[route];
  const form = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
  return {
    name: `${method} ${path}`,
    method,
    form: new RegExp(`^${form}$`),
    varies: request !== undefined || parameters !== undefined,
    succeededMin: fewSucceed.has(route) ? Number.MIN_VALUE : succeededMin,
    statuses: new Map(),
  };
}

function lineOf({ name, statuses }: Operation): string {
  const each = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const met = percent(1 - share(statuses, isTurnedAway)).padStart(7);
  return `${name.padEnd(36)} ${String(total(statuses)).padStart(6)} answers ${met} met it   ${each.join('  ')}`;
}

function shortfallsOf({ name, varies, succeededMin, statuses }: Operation): string[] {
  const turnedAway = share(statuses, isTurnedAway);
  const succeeded = share(statuses, (status) => status >= 200 && status < 300);
  return [
    ...(varies && turnedAway > turnedAwayMax ? [`${name}: ${percent(turnedAway)} are 401 or 429`] : []),
    ...(succeeded < succeededMin ? [`${name}: only ${percent(succeeded)} are successes`] : []),
  ];
}

function serverErrorsOf({ name, statuses }: Operation): string[] {
  return [...statuses.keys()].filter((status) => status >= 500).map((status) => `${name} answered ${status}`);
}

function isTurnedAway(status: number): boolean {
  return status === 401 || status === 429;
}

function share(statuses: ReadonlyMap<number, number>, wanted: (status: number) => boolean): number {
  const counted = [...statuses]
    .filter(([status]) => wanted(status))
    .reduce((sum, [, count]) => sum + count, 0);
  return counted / Math.max(1, total(statuses));
}

function total(statuses: ReadonlyMap<number, number>): number {
  return [...statuses.values()].reduce((sum, count) => sum + count, 0);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
