/** The filter of a list by client, or by another name of its address; what is typed goes into the address after a pause. */
import { useEffect, useState } from 'react';
import { useListState } from '../route.ts';
import { ClientField } from './client-name.tsx';

const pauseMs = 400;

/** @returns `isTyping`: the rows of the client before are not to be shown any more */
export function useClientFilter(name = 'client_id', label = 'Client') {
  const { filter, change } = useListState();
  const value = filter(name);
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
    const timer = setTimeout(() => change({ [name]: text.trim() }, { replace: true }), pauseMs);
    return () => clearTimeout(timer);
  });
  return { isTyping, field: <ClientField label={label} value={text} onChange={setText} /> };
}
