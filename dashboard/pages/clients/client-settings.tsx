/** The settings of a client: its state, and the fields that can be edited. */

import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import type { ResponseOf } from '../../../shared/admin/http/admin-operations.ts';
import { useAbout } from '../../api/queries.ts';
import { changedFields } from '../../components/changed-fields.ts';
import { useForm } from '../../components/form.tsx';
import { TextField } from '../../components/form-fields.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo } from '../../route.ts';

export function ClientSettings({ client }: { readonly client: ResponseOf<'showClient'> }) {
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
        <Fields client={client} />
      </SpaceBetween>
    </Section>
  );
}

/** The default webhook URL, and the countries and senders that the client may use. Empty means the stage's, and all senders. */
function Fields({ client }: { readonly client: ResponseOf<'showClient'> }) {
  const { api, notify } = useDashboard();
  const about = useAbout();
  const first = valuesOf(client);
  const form = useForm({
    first,
    send: (values) => {
      // Sends only changed fields, because another administrator may have changed the others.
      const { countries, senders, ...changed } = changedFields(first, values);
      return api.send(
        'changeClient',
        { client_id: client.client_id },
        {
          ...changed,
          ...(countries === undefined ? {} : { countries: listOf(values.countries) }),
          ...(senders === undefined ? {} : { senders: listOf(values.senders) }),
        },
      );
    },
    onSent: (saved, change) => {
      // Shows the values in the form in which the gateway stored them.
      change(valuesOf(saved));
      notify('success', 'Settings saved. The change takes effect within 60 seconds.');
    },
  });
  const isEdited = Object.keys(changedFields(first, form.values)).length > 0;
  return (
    <form onSubmit={form.submit}>
      <Form
        errorText={form.error}
        actions={
          <Button formAction="submit" loading={form.isPending} disabled={!isEdited}>
            Save
          </Button>
        }
      >
        <SpaceBetween size="l">
          <TextField
            {...form.field('webhook_url')}
            label="Webhook URL"
            description="Used for requests that have no webhook URL of their own. Leave empty for none."
            type="url"
            placeholder="https://"
          />
          <ColumnLayout columns={2}>
            <TextField
              {...form.field('countries')}
              label="Countries"
              description={`ISO country codes, such as GB, FR. Leave empty to follow the stage: ${stageText(about.data?.allowed_countries)}.`}
              placeholder="As the stage"
            />
            <TextField
              {...form.field('senders')}
              label="Senders"
              description="Names and numbers, such as ACME, +447700900123. Add otp to allow one-time passwords, and whatsapp to allow WhatsApp. Leave empty to allow all senders."
              placeholder="All"
            />
          </ColumnLayout>
          <Toggle
            checked={form.values.smart_encoding}
            description="Quotes, dashes, ellipses and spaces in SMS, if the text then takes no more segments. A request can choose otherwise with smart_encoding."
            onChange={({ detail }) => form.change({ smart_encoding: detail.checked })}
          >
            Replace typographic characters
          </Toggle>
        </SpaceBetween>
      </Form>
    </form>
  );
}

/** The maximum number of countries to show, because a stage can allow all countries. */
const shownCountries = 8;

/** @param countries - null for all, undefined until it is known */
function stageText(countries: readonly string[] | null | undefined): string {
  if (countries === undefined) return 'its list';
  if (countries === null) return 'all countries';
  const others = countries.length - shownCountries;
  return `${countries.slice(0, shownCountries).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

function valuesOf({ webhook_url, smart_encoding, countries, senders }: ResponseOf<'showClient'>) {
  return {
    webhook_url: webhook_url ?? '',
    smart_encoding,
    countries: countries?.join(', ') ?? '',
    senders: senders?.join(', ') ?? '',
  };
}

/** Returns the items of a text; null if the text is empty, so that the client has no list. */
function listOf(text: string): readonly string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length === 0 ? null : items;
}
