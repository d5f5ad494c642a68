/** Changes by the admin API, each sent once: of a double click, the second comes before the button is disabled. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

export function useChange<ResponseOf, Input = void>(options: UseMutationOptions<ResponseOf, Error, Input>) {
  const isSending = useRef(false);
  const change = useMutation<ResponseOf, Error, Input>({
    ...options,
    onSettled: () => {
      isSending.current = false;
    },
  });
  const mutate: typeof change.mutate = (...given) => {
    if (isSending.current) return;
    isSending.current = true;
    change.mutate(...given);
  };
  return { ...change, mutate };
}
