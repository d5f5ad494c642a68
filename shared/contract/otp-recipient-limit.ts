/** At most so many one-time passwords go to one recipient of a client in any window of this length. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;
