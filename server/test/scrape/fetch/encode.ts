/** A few sentences in several languages. */
export const texts = {
  russian: 'Сегодня хорошая погода, и лодки стоят в гавани. За стеной виден маяк, который построили сто лет назад.',
  ukrainian: 'Сьогодні гарна погода, і човни стоять у гавані. За стіною видно маяк, який збудували сто років тому.',
  bulgarian: 'Днес времето е хубаво и лодките стоят в пристанището. Зад стената се вижда фарът.',
  japanese: '今日は天気が良く、船は港に停まっています。壁の後ろには百年前に建てられた灯台が見えます。',
  korean: '오늘은 날씨가 좋고 배들이 항구에 정박해 있습니다. 벽 뒤에는 등대가 보입니다.',
  chinese: '今天天气很好，船停在港口里。墙后面可以看到一百年前建造的灯塔。',
  taiwanese: '今天天氣很好，船停在港口裡。牆後面可以看到一百年前建造的燈塔。',
  greek: 'Το λιμάνι είναι ήσυχο και οι βάρκες είναι κοντά στον τοίχο. Πίσω του βρίσκεται ο φάρος.',
  hebrew: 'הנמל שקט והסירות נמצאות ליד החומה. מאחוריה עומד המגדלור שנבנה לפני מאה שנה.',
  arabic: 'الميناء هادئ والقوارب قريبة من الجدار. وخلفه المنارة التي بنيت قبل مئة عام.',
  thai: 'ท่าเรือเงียบสงบและเรืออยู่ใกล้กำแพง ด้านหลังมีประภาคารที่สร้างเมื่อร้อยปีก่อน',
  polish:
    'Zażółć gęślą jaźń. Port jest spokojny, a łodzie stoją blisko muru. Za nim widać latarnię morską, którą zbudowano sto lat temu.',
  czech: 'Přístav je klidný a lodě leží blízko zdi. Za ní stojí maják, který byl postaven před sto lety.',
  turkish: 'Liman sakin ve tekneler duvarın yakınında duruyor. Arkasında yüz yıl önce inşa edilen deniz feneri var.',
} as const

/** Returns the bytes of a text in an encoding that Node can only decode. */
export function encode(text: string, encoding: string): Buffer {
  const table = new Map<string, readonly number[]>()
  const enter = (...bytes: readonly number[]): void => {
    const decoded = new TextDecoder(encoding).decode(Uint8Array.from(bytes))
    if (Array.from(decoded).length === 1 && decoded !== '\ufffd' && !table.has(decoded)) table.set(decoded, bytes)
  }
  for (let byte = 0; byte < 256; byte += 1) enter(byte)
  if (/^(?:shift_jis|euc-jp|euc-kr|gbk|big5)$/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) enter(lead, trail)
  }
  return Buffer.from(Array.from(text).flatMap((character) => table.get(character) ?? [0x3f]))
}
