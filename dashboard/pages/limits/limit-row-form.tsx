/** The form of one row of limits: every window, an end, a block and a note. What stays as it is, is not sent. */
import ColumnLayout from '@cloudscape-design/components/column-layout';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Toggle from '@cloudscape-design/components/toggle';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import type { WindowAttribute } from '../../../shared/contract/limit-rows.ts';
import { type Answer, fieldError } from '../../api/client.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NoteField } from '../../components/note-field.tsx';
import { useDashboard } from '../../context.ts';
import { limitFault, limitTitles } from './limit-field.ts';

interface LimitRowFormProps {
  readonly row: EndpointLimits;
  readonly onDismiss: () => void;
  readonly onSaved: (row: Answer<'setLimits'>) => void;
}

type Values = Readonly<Record<WindowAttribute | 'expires_at' | 'note', string>>;

export function LimitRowForm({ row, onDismiss, onSaved }: LimitRowFormProps) {
  const { api } = useDashboard();
  const { windows } = row;
  const [before] = useState(() => valuesOf(row));
  const [values, setValues] = useState(before);
  const [blocked, setBlocked] = useState(row.blocked);
  const save = useMutation({
    meta: { showsError: true },
    mutationFn: () =>
      api.send(
        'setLimits',
        { client_id: row.client_id },
        {
          endpoint: row.endpoint,
          ...changed(before, values),
          ...(blocked === row.blocked ? {} : { blocked: blocked ? true : null }),
        },
      ),
    onSuccess: onSaved,
  });
  const faults = windows.map((window) => limitFault(row, values[window]));
  const isChanged = blocked !== row.blocked || Object.keys(changed(before, values)).length > 0;
  const change = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  return (
    <FormDialog
      title={`Limits of ${row.endpoint}`}
      action="Save"
      change={save}
      fields={[...windows, 'expires_at', 'note']}
      isComplete={isChanged && faults.every((fault) => fault === undefined)}
      onSubmit={() => save.mutate()}
      onDismiss={onDismiss}
    >
      <ColumnLayout columns={2}>
        {windows.map((window, index) => (
          <FormField
            key={window}
            label={row.currency === null ? limitTitles[window] : `${limitTitles[window]}, in ${row.currency}`}
            errorText={faults[index] ?? fieldError(save.error, window)}
          >
            <Input
              inputMode="decimal"
              autoFocus={index === 0}
              placeholder={row.defaults?.[window]?.toLocaleString() ?? 'no limit'}
              value={values[window]}
              onChange={({ detail }) => change(window)(detail.value)}
            />
          </FormField>
        ))}
      </ColumnLayout>
      {row.cap === null ? (
        <Toggle checked={blocked} onChange={({ detail }) => setBlocked(detail.checked)}>
          Block this endpoint: its requests are refused with 403
        </Toggle>
      ) : null}
      <FormField
        label="Expires at"
        description="A UTC time. Afterwards the row has no effect; empty: never."
        errorText={fieldError(save.error, 'expires_at')}
      >
        <Input
          placeholder="2026-11-30T18:00:00Z"
          value={values.expires_at}
          onChange={({ detail }) => change('expires_at')(detail.value)}
        />
      </FormField>
      <NoteField value={values.note} error={fieldError(save.error, 'note')} onChange={change('note')} />
    </FormDialog>
  );
}

function valuesOf({ override, expires_at, note }: EndpointLimits): Values {
  const limit = (window: WindowAttribute): string => String(override?.[window] ?? '');
  return {
    per_minute: limit('per_minute'),
    per_hour: limit('per_hour'),
    per_day: limit('per_day'),
    per_month: limit('per_month'),
    expires_at: expires_at ?? '',
    note: note ?? '',
  };
}

/** Null restores the default. */
function changed(before: Values, values: Values): Readonly<Record<string, string | number | null>> {
  const names = (Object.keys(values) as (keyof Values)[]).filter(
    (name) => values[name].trim() !== before[name],
  );
  return Object.fromEntries(
    names.map((name) => {
      const text = values[name].trim();
      if (text === '') return [name, null];
      return [name, name.startsWith('per_') ? Number(text) : text];
    }),
  );
}
