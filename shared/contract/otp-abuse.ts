/** How abuse of one-time passwords is limited: the number of passwords to one recipient (contract 5.8), and holds. */

/** The country code of a hold on all countries of a client together. */
export const allCountries = '*';

/** The maximum number of one-time passwords of a client to one recipient in a window of this length. */
export const recipientSendsMax = 5;
export const recipientWindowSeconds = 600;
