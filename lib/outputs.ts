/** The stack's outputs by the names that other programs know: `LimitOverridesTable` as `limit_overrides`. */

export interface StackResources {
  readonly tables: Readonly<Record<string, string>>;
  /** URLs, dead-letter queues included. */
  readonly queues: Readonly<Record<string, string>>;
}

export function resourcesOf(outputs: Readonly<Record<string, string>>): StackResources {
  return {
    tables: outputsThatEndIn('Table', outputs),
    queues: {
      ...outputsThatEndIn('Queue', outputs),
      ...outputsThatEndIn('DeadLetters', outputs, 'dead_letters'),
    },
  };
}

function outputsThatEndIn(
  ending: string,
  outputs: Readonly<Record<string, string>>,
  suffix = '',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([name]) => name.endsWith(ending))
      .map(([name, value]) => {
        const words = name.slice(0, -ending.length).replaceAll(/(?<!^)([A-Z])/g, '_$1');
        return [[words.toLowerCase(), suffix].filter(Boolean).join('_'), value];
      }),
  );
}
