/** Clients by name: in links, with the id beside it, and in the suggestions of filters. */
import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { clientIdIn, modeOf, nameIn, settingsIdOf } from '../../shared/contract/mode.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { useResponse } from '../api/queries.ts';
import { linkTo, useMode } from '../route.ts';
import type { FieldOfForm } from './form.tsx';
import { Secondary, WrappingLink } from './text.tsx';

/** Loaded once, and again after a change. */
function useNames() {
  const { data } = useResponse('listClientNames', {}, undefined, { isFixed: true });
  return data?.clients ?? [];
}

/** The clients by the ids and names of the mode that is shown. */
export function useClientNames() {
  const mode = useMode();
  return useNames().map(({ client_id, name }) => ({
    client_id: clientIdIn(mode, client_id),
    name: inOneLine(nameIn(mode, name)),
  }));
}

/** What finds the name of a client, or of its test data; undefined if nobody has named it. */
export function useClientNameOf(): (id: string) => string | undefined {
  const names = useNames();
  return (id) => {
    const found = names.find(({ client_id }) => client_id === settingsIdOf(id));
    return found === undefined ? undefined : inOneLine(nameIn(modeOf(id), found.name));
  };
}

export function useClientName(id: string | null | undefined): string | undefined {
  const nameOf = useClientNameOf();
  return id ? nameOf(id) : undefined;
}

/** The id where nobody has named it, as of a client that was deleted. */
export function ClientName({ id }: { readonly id: string }) {
  return <span className="id">{useClientName(id) ?? id}</span>;
}

/** Who made a change: a client or an administrator by name, anyone else as the log calls them. */
export function ActorName({ actor }: { readonly actor: string | undefined }) {
  const name = useClientName(actor);
  if (actor === undefined) return <>The gateway</>;
  return name === undefined ? <span className="id">{actor}</span> : <ClientLink id={actor} name={name} />;
}

interface ClientLinkProps {
  /** Without an id, a dash is shown. */
  readonly id: string | null | undefined;
  /** If the caller knows it. */
  readonly name?: string | null;
  /** Where it leads, if not to the client's page. */
  readonly to?: string;
}

/** Names are not unique, so the id is always shown. */
export function ClientLink({ id, to, ...known }: ClientLinkProps) {
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

interface ClientFieldProps extends FieldOfForm {
  readonly label?: string;
  /** When a suggestion is chosen, if that is more than a change. */
  readonly onSelect?: (clientId: string) => void;
  readonly description?: string;
  /** Beside the field. */
  readonly action?: ReactNode;
}

/** Takes an id or a name, and suggests both. The id of a client is shown as its name, with the id below. */
export function ClientField({
  label = 'Client',
  value,
  onChange,
  onSelect = onChange,
  description,
  error,
  action,
}: ClientFieldProps) {
  const clients = useClientNames();
  const name = useClientName(value);
  /** Enter on the name that is shown for an id keeps the id: names are not unique. */
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
