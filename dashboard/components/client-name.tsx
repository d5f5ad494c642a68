/** Clients by name: in links, with the id beside it, and in the suggestions of filters. */
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import { useAnswer } from '../api/queries.ts';
import { linkTo } from '../route.ts';

/** Loaded once, and again after a change. */
export function useClientNames() {
  const { data } = useAnswer<'listClientNames'>('/client-names', undefined, { isFixed: true });
  return data?.clients ?? [];
}

export function useClientName(id: string): string | undefined {
  return useClientNames().find(({ client_id }) => client_id === id)?.name;
}

interface ClientLinkProps {
  readonly id: string;
  /** Where it leads, if not to the client's page. */
  readonly to?: string;
}

/** Names are not unique, so the id is always shown. */
export function ClientLink({ id, to = linkTo('clients', id) }: ClientLinkProps) {
  const name = useClientName(id);
  return (
    <>
      <span className="id">
        <Link href={to}>{name ?? id}</Link>
      </span>
      {name === undefined ? null : (
        <Box variant="span" display="block" color="text-body-secondary" fontSize="body-s">
          <span className="id">{id}</span>
        </Box>
      )}
    </>
  );
}

interface ClientInputProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** When a suggestion is chosen. */
  readonly onSelect?: (clientId: string) => void;
}

/** Takes an id or a name, and suggests both. */
export function ClientInput({ value, onChange, onSelect }: ClientInputProps) {
  const clients = useClientNames();
  return (
    <Autosuggest
      placeholder="Id or name"
      value={value}
      options={clients.map(({ client_id, name }) => ({
        value: client_id,
        label: name,
        description: client_id,
      }))}
      enteredTextLabel={(text) => `Use “${text}”`}
      empty="No client has this name or id."
      filteringType="auto"
      virtualScroll
      onChange={({ detail }) => onChange(detail.value)}
      onSelect={({ detail }) => onSelect?.(detail.value)}
    />
  );
}
