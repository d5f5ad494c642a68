/** The settings of a client: its state, and what can be edited: the default webhook URL, countries and senders. */

import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call-api.ts';
import { useAbout } from '../../api/queries.ts';
import { Facts } from '../../components/facts.tsx';
import { useForm } from '../../components/form.ts';
import { Section } from '../../components/section.tsx';
import { State } from '../../components/state.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo } from '../../route.ts';

interface ClientProps {
  readonly client: ResponseOf<'showClient'>;
}

export function ClientSettings({ client }: ClientProps) {
  return (
    <Section title="Settings">
      <SpaceBetween size="l">
        <Facts
          columns={4}
          facts={{
            Status: <State of={client.disabled ? 'disabled' : 'enabled'} />,
            Scopes: client.scopes.join(', '),
            Created: <Time at={client.created_at} />,
            Changes: (
              <Link href={linkTo('activity', undefined, { client_id: client.client_id })}>Activity Logs</Link>
            ),
          }}
        />
        <WebhookUrl client={client} />
        <Permissions client={client} />
      </SpaceBetween>
    </Section>
  );
}

function WebhookUrl({ client: { client_id, webhook_url: saved } }: ClientProps) {
  const { api, notify } = useDashboard();
  const { isChanged, ...url } = useEditedText(saved ?? '');
  const form = useForm({
    fields: ['webhook_url'],
    values: { webhook_url: url.value },
    send: () => api.send('changeClient', { client_id }, { webhook_url: url.value.trim() || null }),
    onSent: ({ webhook_url }) =>
      notify('success', webhook_url === null ? 'Webhook URL removed.' : 'Webhook URL saved.'),
  });
  return (
    <form onSubmit={form.submit}>
      <TextField
        {...url}
        label="Webhook URL"
        description="Used for requests that have no webhook URL of their own. Leave empty for none."
        error={form.errorOf('webhook_url') ?? form.error}
        type="url"
        placeholder="https://"
        secondaryControl={
          <Button formAction="submit" loading={form.isPending} disabled={!isChanged}>
            Save
          </Button>
        }
      />
    </form>
  );
}

/** The countries and senders that the client may use; empty means those of the stage, and all senders. */
function Permissions({ client }: ClientProps) {
  const { api, notify } = useDashboard();
  const about = useAbout();
  const { isChanged: countriesChanged, ...countries } = useEditedText(textOf(client.countries));
  const { isChanged: sendersChanged, ...senders } = useEditedText(textOf(client.senders));
  const form = useForm({
    fields: ['countries', 'senders'],
    values: { countries: countries.value, senders: senders.value },
    send: () =>
      api.send(
        'changeClient',
        { client_id: client.client_id },
        // What stays as it is, is not sent: somebody else may have changed it since it was loaded.
        {
          ...(countriesChanged ? { countries: listOf(countries.value) } : {}),
          ...(sendersChanged ? { senders: listOf(senders.value) } : {}),
        },
      ),
    onSent: (saved) => {
      // As the gateway has written them.
      countries.onChange(textOf(saved.countries));
      senders.onChange(textOf(saved.senders));
      notify('success', 'Countries and senders saved. The change takes effect within 60 seconds.');
    },
  });
  return (
    <form onSubmit={form.submit}>
      <Form
        errorText={form.error}
        actions={
          <Button
            formAction="submit"
            loading={form.isPending}
            disabled={!countriesChanged && !sendersChanged}
          >
            Save countries and senders
          </Button>
        }
      >
        <ColumnLayout columns={2}>
          <TextField
            {...countries}
            label="Countries"
            description={`ISO country codes, such as GB, FR. Leave empty to follow the stage: ${stageText(about.data?.allowed_countries)}.`}
            error={form.errorOf('countries')}
            placeholder="As the stage"
          />
          <TextField
            {...senders}
            label="Senders"
            description="Names and numbers, such as ACME, +447700900123. Add otp to allow one-time passwords, and whatsapp to allow WhatsApp. Leave empty to allow all senders."
            error={form.errorOf('senders')}
            placeholder="All"
          />
        </ColumnLayout>
      </Form>
    </form>
  );
}

/** A stage can have as many as there are countries. */
const shownCountries = 8;

/** @param countries - null for all, undefined until it is known */
function stageText(countries: readonly string[] | null | undefined): string {
  if (countries === undefined) return 'its list';
  if (countries === null) return 'all countries';
  const others = countries.length - shownCountries;
  return `${countries.slice(0, shownCountries).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

const textOf = (list: readonly string[] | null): string => list?.join(', ') ?? '';

/** Null where the text is empty: the client has no list. */
function listOf(text: string): readonly string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length === 0 ? null : items;
}

/** The text of a field that shows a saved value: it follows that value until somebody edits it. */
function useEditedText(saved: string) {
  const [text, setText] = useState(saved);
  const [before, setBefore] = useState(saved);
  if (before !== saved) {
    setBefore(saved);
    if (text === before) setText(saved);
  }
  return { value: text, onChange: setText, isChanged: text.trim() !== saved };
}
