/** The filter of a list by client; what is typed goes into the address after a pause. */
import { useEffect, useState } from 'react';
import { useListState } from '../route.ts';
import { ClientField } from './client-name.tsx';

const pauseMs = 400;

/** @returns `isTyping`: the rows of the client before are not to be shown any more */
export function useClientFilter() {
  const { filter, change } = useListState();
  const value = filter('client_id');
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The address has changed: by Back, for instance.
  if (before !== value) {
    setBefore(value);
    if (text.trim() !== value) setText(value);
  }
  const isTyping = text.trim() !== value;
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(() => change({ client_id: text.trim() }, { replace: true }), pauseMs);
    return () => clearTimeout(timer);
  });
  return { isTyping, field: <ClientField value={text} onChange={setText} /> };
}
