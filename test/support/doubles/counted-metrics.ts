/** The metrics that functions print. */
import { jest } from '@jest/globals';

/** Returns the names of the metrics that are counted from now on. */
export function countedMetrics(): string[] {
  const names: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const line = JSON.parse(String(text));
    for (const { Metrics } of line._aws?.CloudWatchMetrics ?? []) names.push(Metrics[0].Name);
    return true;
  });
  return names;
}
