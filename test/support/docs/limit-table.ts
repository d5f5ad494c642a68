import { type Policy, policies } from '../../../shared/contract/rate-limits-and-caps.ts';

/** The table of default limits in `docs/limits.md`, as Markdown. */
export function limitTable(): string {
  const { admin, unmatched, ...forClients } = policies;
  return [
    '| Endpoint | Minute | Hour | Day |',
    '|---|---|---|---|',
    ...Object.values<Policy>(forClients).map(({ endpoint, perMinute, perHour, perDay }) => {
      const numbers = [perMinute, perHour, perDay].map((limit) => limit.toLocaleString('en'));
      return `| \`${endpoint}\` | ${numbers.join(' | ')} |`;
    }),
  ].join('\n');
}
