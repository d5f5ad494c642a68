/** How the benchmarks sum up and print: medians and percentiles of interleaved runs, on a machine that is named. */
import { cpus, totalmem } from 'node:os';
import type { Load } from './load.ts';

/** By nearest rank: the p99 of 100 values is the 99th. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** What ran where and when, so that a figure can be read a year later. */
export function printMachine(command: string): void {
  const [cpu] = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  console.log(`${command}, ${new Date().toISOString().slice(0, 10)}`);
  console.log(`Node ${process.version}, ${cpus().length} × ${cpu?.model ?? 'CPU'}, ${memoryGiB} GiB\n`);
}

/** Columns as wide as their widest cell; the first aligned to the left, figures to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all) {
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    );
    console.log(cells.join('  '));
  }
}

export function ratio(value: number): string {
  return `${value.toFixed(2)}×`;
}

/** How often as fast as the other it was, slice by slice: the middle ratio, and between which the middle half lie. */
export function ratiosOf(own: readonly Load[], other: readonly Load[]): readonly [string, string] {
  const ratios = own.map(({ perSecond }, slice) => perSecond / (other[slice]?.perSecond ?? Number.NaN));
  return [ratio(median(ratios)), `${ratio(quantile(ratios, 0.25))}–${ratio(quantile(ratios, 0.75))}`];
}
