/** What is wrong with a job as a whole: it fails with this message, and its other pages are not tried. */
export class JobFault extends Error {}
