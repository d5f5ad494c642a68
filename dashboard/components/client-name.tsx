/** Shows clients by name: in links, with the id beside it, and in the suggestions of filters. */
import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { clientIdIn, modeOf, nameIn, settingsIdOf } from '../../shared/contract/mode.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { useResponse } from '../api/queries.ts';
import { linkTo, useMode } from '../route.ts';
import type { FieldOfForm } from './form.tsx';
import { Secondary, WrappingLink } from './text.tsx';

/** Loads the names once, and again after a change. */
function useNames() {
  const { data } = useResponse('listClientNames', {}, undefined, { isFixed: true });
  return data?.clients ?? [];
}

/** Returns the clients of the current mode (live or test), by id and by name. */
export function useClientNames() {
  const mode = useMode();
  return useNames().map(({ client_id, name }) => ({
    client_id: clientIdIn(mode, client_id),
    name: inOneLine(nameIn(mode, name)),
  }));
}

/** Returns the name of a client or of its test data; undefined if it is unknown. */
export function useClientName(id: string | null | undefined): string | undefined {
  const names = useNames();
  if (!id) return undefined;
  const found = names.find(({ client_id }) => client_id === settingsIdOf(id));
  return found === undefined ? undefined : inOneLine(nameIn(modeOf(id), found.name));
}

/** Shows the actor of a change: the name of a client or an administrator, or the name in the log if it is not an id. */
export function ActorName({ actor }: { readonly actor: string | undefined }) {
  const name = useClientName(actor);
  if (actor === undefined) return <>The gateway</>;
  return name === undefined ? <span className="id">{actor}</span> : <ClientLink id={actor} name={name} />;
}

/** Links to a client. Names are not unique, so the id is always shown. */
export function ClientLink({
  id,
  to,
  ...known
}: {
  /** If the id is absent, a dash is shown. */
  readonly id: string | null | undefined;
  /** The name, if the caller already has it. */
  readonly name?: string | null;
  /** The target of the link; by default the client's page. */
  readonly to?: string;
}) {
  const found = useClientName(id);
  const name = known.name ?? found;
  if (id === null || id === undefined) return <>–</>;
  return (
    <>
      <WrappingLink href={to ?? linkTo('clients', id)}>{name ?? id}</WrappingLink>
      {name === undefined ? null : (
        <Secondary>
          <span className="id">{id}</span>
        </Secondary>
      )}
    </>
  );
}

/**
 * A field that accepts a client's id or name, and suggests both. If the value is an id, the field shows the client's name,
 * with the id below.
 */
export function ClientField({
  label = 'Client',
  value,
  onChange,
  onSelect = onChange,
  description,
  error,
  action,
}: FieldOfForm & {
  readonly label?: string;
  /** Called when the user chooses a suggestion. */
  readonly onSelect?: (clientId: string) => void;
  readonly description?: string;
  /** Shown beside the field. */
  readonly action?: ReactNode;
}) {
  const clients = useClientNames();
  const name = useClientName(value);
  /** If the user presses Enter on a name, the selected id is kept, because names are not unique. */
  const meant = (text: string): string => (text === name ? value : text);
  return (
    <FormField
      label={label}
      description={description}
      errorText={error}
      secondaryControl={action}
      constraintText={name === undefined ? undefined : <span className="id">{value}</span>}
    >
      <Autosuggest
        placeholder="Id or name"
        value={name ?? value}
        options={clients.map((client) => ({
          value: client.client_id,
          label: client.name,
          description: client.client_id,
        }))}
        enteredTextLabel={(text) => `Use “${text}”`}
        empty="No client has this name or id."
        filteringType="auto"
        virtualScroll
        onChange={({ detail }) => onChange(meant(detail.value))}
        onSelect={({ detail }) => onSelect(meant(detail.value))}
      />
    </FormField>
  );
}
