/** What is known of a thing, by label; a dash where there is nothing. */
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import type { ReactNode } from 'react';

interface FactsProps {
  readonly columns: number;
  readonly facts: Readonly<Record<string, ReactNode>>;
}

export function Facts({ columns, facts }: FactsProps) {
  return (
    <KeyValuePairs
      columns={columns}
      minColumnWidth={170}
      items={Object.entries(facts).map(([label, value]) => ({ label, value: value ?? '–' }))}
    />
  );
}
