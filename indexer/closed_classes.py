"""Closed-class words of languages other than English, as tokens of the analyser.

Folded and stemmed, so that nothing has to be analysed to tell in which language a question is
(a test analyses them again). Articles, pronouns, auxiliaries, prepositions, conjunctions,
question words; a word that means something as well is left out.
"""

CLOSED_CLASSES = {
    "German": """
ab aber al all allen am an auch auf aus bei beim bin bis bist da dafur dann darf darub das dass
dein deinen deiner dem den denn der des dich die dies diesem diesen dieser dir doch dort du
duerfen durch durfen ein einem einen einer er es etwa euch euer eur fuer fur gegen habe haben
hast hat hatt hatten hier hinter ich ihm ihn ihnen ihr im in ist kann kein keinen koennen
konnen konnt konnten mag mal mehr mein meinem meinen meiner mich mir mit mocht moecht muessen
muss mussen musst nach neben nicht noch nur ob oder ohn schon sehr sei seid sein seinen seiner
seit sie sind so soll sollen sollt uber ueber um un und unser unseren unter viel vom von vor
wahrend wann war ware waren warum was weil welch welchem welchen welcher wem wen wenn wer
werden weshalb wessen wie wieso will wir wird wo wofuer wofur woher wohin wollen wollt womit
worub worueb wurd wurden zu zum zur zwischen
""",
    "French": """
a ai as au aussi aux avaient avait avec avez avoir avon bien c ca car ce cela ces cet cett
chez combien comm comment d dan de depui des donc dont du ell en entr es est et etaient etait
ete etr fait il j je l la le lequel les leur lui m ma mai me mes moi mon n ne ni nos notr nous
on ont or ou par pas pendant peut peux plus pour pourquoi qu quand que quel quell qui quoi s
sa san se ses si somm son sont sous sui sur t ta te tes toi ton tres tu un une ver vos votr
vous y
""",
    "Spanish": """
a adond al ant como con cual cuando cuanta cuanto de del desd dond el ella ello en entr era
eran ere es esa ese eso est esta estaba estan esto estoy fue fueron ha habia hacia han hasta
hay he hemo la las le les lo los mas me mi mis muy no nos nosotro nuestra nuestro o os para
pero por porqu pued puedo que quien se segun ser si sin sobr somo son soy su sus tambien te
tener tengo tien tu tus un una uno vosotro y ya yo
""",
    "Italian": """
a abbiamo ag ai al all alla allo anch aver che chi ci come con cosa cui da dai dal dall dalla
deg dei del dell della dello di dove e ed era erano esser fra gli ha hai hanno ho i il in io l
la le lei lo loro lui ma mi mia mie miei mio molto neg nei nel nell nella nello noi non nostra
nostri nostro o per perch piu qual quali quando quant quanta quanti quanto quella quello quest
questa questi questo se sei si siamo sono su sua sue sui sul sull sulla suo suoi ti tra tu tua
tuo un una uno vi voi
""",
    "Portuguese": """
a ao as ate com como da das de desd do dos e ela ele em entr era eram es ess essa est esta
estao estou eu foi foram ha isso isto ja lhe mai mas me meu meus minha muito na nao nas no nos
nossa nosso o ond os ou para pela pelo pode por porqu quai qual quando quanta quanto que quem
sao se sem seu seus sobr somo sou sua tambem te tem tenho ter teu tu tua um uma un voce
""",
    "Dutch": """
aan al ben bent bij dan dat de deze die dit door een en er geen haar had heb hebben hebt heeft
heel hem het hij hoe hun ik in is je jij jou jouw julli kan kunnen maar mag me meer met mij
mijn moet moeten na naar niet nog of om omdat on onder onz ook op over te tegen tot tussen u
uit van voor waar waarom wanneer want waren was wat we welk werd wie wij wil worden wordt zal
ze zij zijn zo zonder zullen
""",
    "Swedish": """
ar att av bara blev blir de dem den det dig din dina ditt du efter eller en er ett for fran
hade han har hon hur i int jag kan kund mast med mellan men mest mig min mina mitt mot mycket
nar ni och ocksa om oss over pa sin sina sitt ska skull som till under utan vad var vara
varfor varit vart vem vi vid vilka vilken vilket vill
""",
    "Danish": """
af at blev bliver de dem den det dig din dine dit du efter eller en er et for fra han har havd
hun hvad hvem hvilk hvilken hvilket hvor hvordan hvorfor i ikk jeg jer kan kun kunn ma med
meget mellem men mig min mine mit mod nar og ogsa om os over pa sin sine sit skal skull som
til uden under vaer var ved vi vil vore
""",
    "Polish": """
a albo ale bardzo bez byc byl byla byli bylo ci ciebi co czemu czi czyj dla dlaczego do gdzie
go i ich ile im ja jak jaka jaki jego jej jest juz kiedi kto ktora ktore ktori ktorych lub ma
maja mam mami masz mi mna mnie moge moi moich moim moj moja moje mojego mojej moze mozna mu my
na nad nam nas nasz nasza nie o od on ona oni ono po pod przez przi sa sie swoj ta tak te tego
tej ten tez to twoj twoja ty tylko tym u w we wy z za ze
""",
    "Russian": """
а без будет бы был была были было быть в вам вас ваш во вы где да для до его ее еи ему есть
еще же за зачем и из или им их к как какая какие какого какое какои ко когда кого ком которая
которыи кто куда ли меня мне мнои мое моего моеи мои моим моих мою моя мы на над нам нас наш
наша нашего нашеи наши не нет ни но о об он она они оно от откуда очень по под почему при с
свои сколько со та так твои твоя те тебе тебя то только том тот ты у уже чего чеи чем чему
через что эта эти это этого этот я
""",
    "Turkish": """
ama bana ben benim bir biz bize bizim bu cok da daha de degil en gibi hangi icin ile kac kadar
ki kim kime kimin mi mu nasil ne neden nered nereden nerey nicin o onlar onun sana sen senin
siz su var ve veya yok zaman
""",
    "Greek": """
αλλα απο για γιατι δεν ειμαι ειναι εισαι ενα ενασ εχει εχεισ εχω η ηταν θα και μασ με μη μια
μου να ο οι οταν οτι ποια ποιεσ ποιο ποιοι ποιοσ πολυ ποσα ποσο ποτε που πωσ σασ σε σου στα
στη στην στισ στο στον στουσ τα την τησ τι τισ το τον του τουσ των χωρισ ωσ
""",
    "Finnish": """
ei en etta han he ja jos kanssa kenen kuinka kuka kun me mihin mika miksi mill milla milloin
mina minun missa mista mita miten mutta myo nama ne olen olet oli olivat olla on ovat se sina
sinun tai tama te vain
""",
    "Hebrew": """
אבל או איזה איזו איך אילו אין איפה אל אלה אם אנחנו אני את אתה גם האם הוא היא היה היו הייתה
היכן הם הן זאת זה יש כי כמה כן לא למה מדוע מה מי מן מתי על עם רק של שלה שלו שלי שלך שלנו
""",
    "Arabic": """
التي الذي الى ان انا او اي اين ذلك على عن عند عندي في قد كان كانت كم كيف لا لماذا ليس ما ماذا
متى مع من نحن هذا هذه هل هم هو هي و
""",
    "Hindi": """
आप और कब कया कयों कर कहाँ कहां का कि कितना कितने किस किसे की के कैसे को कौन जो तुम तो था थी थे
नहीं ने पर भी मुझे में मेरा मेरी मेरे मैं यह या ये लेकिन वह वे से हम हमें ही है हैं हो
""",
}
